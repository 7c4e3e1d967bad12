"""Tell how far the evidence reaches."""
