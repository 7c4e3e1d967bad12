"""Narratives from queries, and the parts of a narrative that an answer should cover."""
