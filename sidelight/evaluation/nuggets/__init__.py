"""Nuggets: made from relevant documents, weighed, and looked for in answers."""
