"""Training, cross-validation and published figures; imports sidelight, never the reverse."""
