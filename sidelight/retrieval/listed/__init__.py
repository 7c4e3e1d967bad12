"""Segments from lists: given with a topic, or read from a file of results."""
