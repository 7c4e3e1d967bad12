"""Corpora and collections to index, and what makes two indexes the same."""
