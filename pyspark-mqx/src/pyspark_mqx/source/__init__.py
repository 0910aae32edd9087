"""Spark data source ``mqx``: batch and streaming reads, and the writer."""
