"""Snapshots of a queue manager in memory: for dry runs, and as its queues were at an instant."""
