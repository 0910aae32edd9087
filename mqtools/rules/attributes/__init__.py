"""Attributes of queues, channels and the queue manager, one table for each object type."""
