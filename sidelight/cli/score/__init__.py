"""Commands `score`: scores of runs, and tests of their differences."""
