"""How well a passage answers each question, or covers each fact, of a bank: 0 to 5."""
