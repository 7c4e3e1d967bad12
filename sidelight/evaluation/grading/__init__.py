"""Passages of any origin graded cell by cell, and what people say of the grades."""
