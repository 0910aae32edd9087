"""MQSC: scripts read and written, their lines, and output in the form of runmqsc."""
