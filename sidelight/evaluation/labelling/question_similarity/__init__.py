"""How alike submitted questions and rubric questions are."""
