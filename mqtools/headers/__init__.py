"""The MQ structures that travel in or beside message data: bytes to records and back. Pure."""
