"""Rubrics, labels and scores, by hand and for Hypothesis."""
