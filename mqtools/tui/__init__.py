"""The live browser: panes over a queue manager. What draws never waits for the file, and never writes to it."""
