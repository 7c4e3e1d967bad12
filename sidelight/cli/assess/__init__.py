"""`sidelight assess`."""
