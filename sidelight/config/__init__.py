"""Settings: defaults in code, then a file of differences, then `--set`."""
