"""How useful documents are for answering a question."""
