"""Runs: the runner, the run directory, the log of calls, and files for submission."""
