"""Administration commands as JSON: the form of ``runCommandJSON`` in IBM MQ's REST API."""
