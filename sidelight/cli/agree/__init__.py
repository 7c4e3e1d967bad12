"""Commands `agree`: agreement of two sides on labels, scores and relevance."""
