"""Statements on messages: rows, marks, trash, journal, units of work."""
