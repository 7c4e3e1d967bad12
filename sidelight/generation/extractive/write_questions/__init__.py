"""Question writer without a model: typed facts, their wordings, and a model of question quality."""
