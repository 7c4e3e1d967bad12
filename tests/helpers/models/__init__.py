"""Models and model servers that a test can script, slow down, kill or trick."""
