"""``mqx channel``: run message channels between queue managers."""
