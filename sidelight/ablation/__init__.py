"""Ablation experiments: arms that differ from a base in a few settings, and the effect of each."""
