"""MQGET: select a message, wait for one, return it."""
