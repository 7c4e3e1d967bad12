"""Banks of questions or nuggets: drafted, merged, edited and compared."""
