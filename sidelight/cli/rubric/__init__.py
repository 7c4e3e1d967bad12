"""Commands about passages that are graded by banks of questions or nuggets."""
