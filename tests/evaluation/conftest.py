"""Makes `toy` importable from the folders below."""
