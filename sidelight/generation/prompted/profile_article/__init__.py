"""Take an article apart."""
