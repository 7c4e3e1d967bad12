"""Prompted performers: the roles that ask a model, each with its prompt beside it."""
