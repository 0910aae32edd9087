"""Server for clients of IBM MQ: negotiation, conversations and their MQI calls."""
