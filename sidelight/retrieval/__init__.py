"""Ways to find segments; all of them answer a batch of queries with ranked hits."""
