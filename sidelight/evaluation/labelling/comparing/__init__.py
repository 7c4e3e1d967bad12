"""What labellers share that compare texts and ask no model."""
