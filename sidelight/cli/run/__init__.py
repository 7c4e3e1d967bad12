"""Commands that make runs and look at them."""
