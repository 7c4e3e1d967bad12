"""Write the report without a model: what may be quoted, what it is worth, which of it to take."""
