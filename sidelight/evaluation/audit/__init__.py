"""Whether a judge's verdicts change with what should not matter."""
