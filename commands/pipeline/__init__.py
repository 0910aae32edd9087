"""``mqx pipeline``."""
