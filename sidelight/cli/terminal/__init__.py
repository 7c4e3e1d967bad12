"""What fits a terminal, and what is said where there is none."""
