"""``mqx dlq-handle``."""
