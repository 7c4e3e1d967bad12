"""Verification page, on which people check the grades of passages by items."""
