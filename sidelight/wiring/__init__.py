"""Settings to objects: retrievers, roles, models, judges and graphs, wired together."""
