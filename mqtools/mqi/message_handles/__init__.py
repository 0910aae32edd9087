"""MQCRTMH to MQDLTMH: message handles and the properties they hold."""
