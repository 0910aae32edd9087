"""MQSC commands: parameters, execution and reports."""
