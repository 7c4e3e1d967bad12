"""The roles of an investigation, with and without a model, and how their work is composed."""
