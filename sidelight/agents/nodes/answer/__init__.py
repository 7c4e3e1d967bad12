"""The steps from a narrative to its answer."""
