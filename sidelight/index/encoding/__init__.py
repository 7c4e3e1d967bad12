"""Encoding of texts as vectors."""
