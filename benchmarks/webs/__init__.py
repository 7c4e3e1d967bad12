"""Webs of news articles that the benchmark of unseen text reads; see `README.md` beside it."""
