"""The vectors of a collection: how they are made, kept and searched."""
