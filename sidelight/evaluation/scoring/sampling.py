"""Default number of bootstrap samples of topics, for intervals and significance tests."""

DEFAULT_SAMPLES = 10_000
