"""Nuggets: created from relevant documents, rated for importance, and assigned to answers."""
