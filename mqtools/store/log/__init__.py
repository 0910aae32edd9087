"""The write-ahead log beside the file: its mark, flushes, writer lock and removal."""
