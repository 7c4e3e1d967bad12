"""How far two sides agree: on labels, on relevance, on the order of runs."""
