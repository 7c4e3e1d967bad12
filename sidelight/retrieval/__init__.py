"""Retrievers: each answers a batch of queries with ranked hits."""
