"""Revise a report whose sentences fell."""
