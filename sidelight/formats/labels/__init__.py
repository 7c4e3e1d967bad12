"""Files of labels."""
