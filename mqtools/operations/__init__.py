"""Operations on stored messages: select, move, edit, load, unload, delete, restore, generate and track reports."""
