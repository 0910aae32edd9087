"""Reports: generated from original messages, and followed up."""
