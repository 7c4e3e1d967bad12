"""Commands that make and keep banks of questions or nuggets."""
