"""Judges label submissions against rubrics; one judge, or one step of a judge, a module."""
