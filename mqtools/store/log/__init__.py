"""The write-ahead log of the file: its mark, flushes, writer lock and removal."""
