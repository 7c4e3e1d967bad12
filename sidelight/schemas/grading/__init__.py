"""What submissions are graded by, labelled with and measured in."""
