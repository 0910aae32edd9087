"""Attributes of queues, channels and the queue manager, one table an object type."""
