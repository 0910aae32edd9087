"""Reference messages over channels: the built-in exit REFERENCE, and the objects that it writes to a folder."""
