"""The dead-letter queue handler: runmqdlq rules tables, their matching, and the loop that runs them."""
