"""The configuration file, its settings, and the location of queue manager files."""
