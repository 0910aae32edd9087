"""Traces: the life of messages from journals and archives."""
