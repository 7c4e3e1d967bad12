"""Commands that hold two sides against each other."""
