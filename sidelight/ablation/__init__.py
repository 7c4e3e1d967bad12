"""Experiments: arms that differ from a base in a few settings, and what each difference does."""
