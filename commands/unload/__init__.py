"""``mqx unload``."""
