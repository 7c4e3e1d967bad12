"""Word the searches for a question."""
