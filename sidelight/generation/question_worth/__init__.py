"""How good people would find a question, learned from the grades of 2024."""
