"""Distributed queuing: messages for other queue managers, and commands that come from them."""
