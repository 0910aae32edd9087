"""Display: what is shown of messages and queues, as cells and lines. Pure; nothing here draws or reads."""
