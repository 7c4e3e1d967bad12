"""A finished run judged with its own files, and where it lost credit."""
