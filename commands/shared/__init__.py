"""Parts shared by several commands: options, session, output, progress."""
