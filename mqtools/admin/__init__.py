"""Administration: queue managers, definitions of queues and channels, depths, check-ups, MQSC and PCF."""
