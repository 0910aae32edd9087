"""``mqx report-gen``."""
