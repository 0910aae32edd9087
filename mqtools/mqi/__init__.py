"""The MQI verbs: connection and object handles, put, get, units of work, message handles, waiting, signals."""
