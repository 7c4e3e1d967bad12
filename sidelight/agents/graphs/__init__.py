"""Graphs: the state of one, where it goes next, and its wiring."""
