"""What several commands share: options, session, output, progress."""
