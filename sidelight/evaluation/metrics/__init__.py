"""Measures computed from labels; docstrings give formula, symbols, source and edge cases."""
