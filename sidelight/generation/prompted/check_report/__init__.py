"""Hold the report against what it cites."""
