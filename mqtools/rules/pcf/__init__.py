"""The programmable command format in replies: lengths of texts, and values as parameters."""
