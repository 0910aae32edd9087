"""``mqx put``."""
