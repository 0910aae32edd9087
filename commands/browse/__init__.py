"""``mqx browse``."""
