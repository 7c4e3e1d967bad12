"""Commands that compare, bundle and reproduce."""
