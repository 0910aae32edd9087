"""``mqx shell``: run many command lines in one process."""
