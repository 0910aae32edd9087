"""``mqx load``."""
