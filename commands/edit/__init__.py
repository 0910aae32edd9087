"""``mqx edit``."""
