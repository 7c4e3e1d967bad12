"""Labels to scores, with their uncertainty."""
