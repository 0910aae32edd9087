"""Text forms: JSON lines, MQSC, hex, tables, durations, and text made safe for a terminal. Pure."""
