"""The calling end of the client protocol: connections to queue managers elsewhere."""
