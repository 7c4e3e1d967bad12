"""How much two sides agree, or how alike they order things: one coefficient a module."""
