"""`sidelight pool`."""
