"""Scripted conversations: what a role or a check was asked, and the case it was asked about."""
