"""Labelling: judges, and one module for each kind of item that is labelled."""
