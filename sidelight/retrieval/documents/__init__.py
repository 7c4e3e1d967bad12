"""From segments that were found to the documents they stand in."""
