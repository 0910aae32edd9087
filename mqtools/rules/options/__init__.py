"""Option rules of MQOPEN, MQPUT, MQGET and MQCLOSE as tables."""
