"""How often intervals and tests draw topics anew, wherever nobody says otherwise."""

DEFAULT_SAMPLES = 10_000
