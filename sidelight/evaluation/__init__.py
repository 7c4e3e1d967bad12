"""Evaluation: rubrics and labels to scores. Systems that are scored never import this package."""
