"""Scores of runs whose questions or documents were graded one by one."""
