"""What tests and benchmarks share: inputs, stand-ins for models, and ways to look at results."""
