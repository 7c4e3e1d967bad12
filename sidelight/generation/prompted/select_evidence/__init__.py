"""Choose evidence among search results."""
