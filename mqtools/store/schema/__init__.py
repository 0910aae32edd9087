"""The schema of a queue manager file, its migrations and the columns of its SQL views."""
