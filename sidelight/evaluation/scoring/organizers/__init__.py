"""Scores of the organizers' script, and the causes of differences from ours."""
