"""Controllers: what the keys do, one subject a module."""
