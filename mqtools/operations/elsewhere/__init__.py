"""Messages that go from one queue manager to another on an operator's request: pull and push."""
