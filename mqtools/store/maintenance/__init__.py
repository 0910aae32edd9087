"""Maintenance of a queue manager's file: check-ups, copies, compaction."""
