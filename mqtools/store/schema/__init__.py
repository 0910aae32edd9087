"""The schema of a queue manager file, its migrations and its SQL views."""
