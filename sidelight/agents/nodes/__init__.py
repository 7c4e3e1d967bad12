"""One step each: a node calls a role or the retriever and returns what changed."""
