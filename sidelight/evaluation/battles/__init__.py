"""Answers of two runs side by side, and ratings of runs from who won."""
