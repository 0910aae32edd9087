"""The live browser: panes over a queue manager. Drawing never waits for the file, and never writes to it."""
