"""Reproduction: runs as bundles that anyone can verify, and submissions made from runs."""
