"""Wiring of objects from settings: retrievers, roles, models, judges and graphs."""
