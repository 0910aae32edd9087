"""Administration commands as data: what a command is, and the parameters that several commands have."""
