"""Robustness audit: does a judge's label change with what should not matter?"""
