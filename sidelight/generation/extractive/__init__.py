"""Every role without a model: the embedded default, and a baseline in its own right."""
