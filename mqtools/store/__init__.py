"""One SQLite file a queue manager: schema, statements, transactions, waking, proof of life. All SQL is here."""
