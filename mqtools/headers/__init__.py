"""The MQ structures of messages: bytes to records and back. Pure."""
