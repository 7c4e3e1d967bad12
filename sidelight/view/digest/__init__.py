"""Digest of a topic, shown first: publisher and author, claims, and what others found."""
