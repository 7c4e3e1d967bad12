"""Plan searches."""
