"""Commands that prepare a collection, index it and ask it."""
