"""Rules of MQ as tables and pure functions: no database, no clock, no screen."""
