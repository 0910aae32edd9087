"""Jobs of ``mqx pipeline``: archive, load, reconcile, triage, reassemble, stream, stats."""
