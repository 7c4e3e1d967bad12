"""Frozen values that every other part speaks in; no input or output happens here."""
