"""Vectors of a collection: how they are made, stored and searched."""
