"""Journals: queues as they were, their statistics and their time line, and puts that are replayed."""
