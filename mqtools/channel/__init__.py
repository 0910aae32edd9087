"""Message channels: transport of messages between queue managers, and message exits."""
