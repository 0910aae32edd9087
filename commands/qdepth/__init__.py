"""``mqx qdepth``: show depth, age and use of queues."""
