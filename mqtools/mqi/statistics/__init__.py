"""Statistics and accounting: counters in the file, and the messages that they become."""
