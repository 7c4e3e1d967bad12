"""The tests, in the rooms of the package they test; what they share is in `helpers`."""
