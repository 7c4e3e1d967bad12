"""The steps from questions to documents."""
