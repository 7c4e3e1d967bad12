"""Immutable values shared by all other packages; no input or output happens here."""
