"""``mqx move``, and what ``mqx copy`` shares with it."""
