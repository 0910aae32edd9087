"""``mqx qmgr``: create, start, end, list, back up and delete queue managers."""
