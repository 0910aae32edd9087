"""MQGET: selecting the message, waiting for one, delivering it."""
