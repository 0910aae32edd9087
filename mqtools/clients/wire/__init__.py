"""Bytes of the client protocol: segments and the messages in them. Nothing here knows a socket or a queue."""
