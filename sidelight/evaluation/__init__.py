"""Rubrics and labels to scores; the scored system knows nothing of this package."""
