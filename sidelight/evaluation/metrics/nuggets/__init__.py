"""Measures of answers by the nuggets that they tell."""
