"""Lateral reading for news: ten questions, a cited report, and scores for both."""

__version__ = "0.3.0"
