"""Network: one listener for message channels and clients, which differ in their first bytes."""
