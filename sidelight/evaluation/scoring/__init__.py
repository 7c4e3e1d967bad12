"""Labels to scores, with their uncertainty."""

DEFAULT_SAMPLES = 10_000
"""Bootstrap samples of topics, for intervals and significance tests."""
