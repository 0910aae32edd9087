"""``mqx get``."""
