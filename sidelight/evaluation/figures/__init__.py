"""What evaluation finds, drawn."""
