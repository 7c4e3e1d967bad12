"""What labellers share that ask a model."""
