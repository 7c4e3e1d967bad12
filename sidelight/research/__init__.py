"""Fitting, cross-validation and published figures: imports the product."""
