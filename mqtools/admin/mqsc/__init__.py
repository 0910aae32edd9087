"""MQSC commands, run against a queue manager."""
