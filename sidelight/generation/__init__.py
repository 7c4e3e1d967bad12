"""Roles of an investigation, with and without a model, and the parts that they share."""
