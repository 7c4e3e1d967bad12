"""Extractive performers: every role without a model; the default, and a baseline."""
