"""PCF commands: the command server and the commands that it executes."""
