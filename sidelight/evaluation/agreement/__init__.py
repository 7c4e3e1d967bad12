"""Agreement between two sides: on labels, on relevance grades, and on the ranking of runs."""
