"""A finished run judged with its own files, after generation and in another process."""
