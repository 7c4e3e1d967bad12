"""`sidelight grade`."""
