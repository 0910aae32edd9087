"""REST: IBM MQ's administrative and messaging REST API, over the administration commands and the MQI."""
