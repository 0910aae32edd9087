"""The client protocol of IBM MQ: its bytes, and a server for clients."""
