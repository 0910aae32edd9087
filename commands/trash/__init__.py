"""``mqx trash``: show, restore or empty what was deleted."""
