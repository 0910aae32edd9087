"""Message selectors: MQ's subset of SQL-92, parsed and evaluated."""
