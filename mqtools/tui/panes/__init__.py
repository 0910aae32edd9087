"""Panes: what draws, from what it was given; it reads nothing itself."""
