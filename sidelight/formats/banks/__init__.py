"""Files of what submissions are graded by."""
