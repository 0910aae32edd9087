"""The queue manager: the MQI verbs and the lifecycle verbs, rules and store put together."""
