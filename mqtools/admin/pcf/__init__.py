"""PCF commands: the command server and the commands it carries out."""
