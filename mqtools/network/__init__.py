"""Network: one listener for message channels and clients, told apart by their first bytes."""
