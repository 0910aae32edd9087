"""Envelopes: a message as one JSON object, its text, its schema, and the check of one that is read."""
