"""Scores of passages graded by test questions or key facts, and the upkeep of these."""
