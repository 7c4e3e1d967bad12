"""Relevance of passages to narratives: labels by a model, by several, and held to a reference."""
