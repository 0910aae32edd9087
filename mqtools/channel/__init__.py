"""Message channels: what carries messages from one queue manager to another, and the exits that see them."""
