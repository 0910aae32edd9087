"""Objects: their definitions, inquiry of their attributes, and dynamic queues."""
