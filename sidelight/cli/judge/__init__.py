"""Commands that put a judge to work."""
