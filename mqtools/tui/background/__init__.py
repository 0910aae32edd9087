"""Background: the threads that read and write, and what they do."""
