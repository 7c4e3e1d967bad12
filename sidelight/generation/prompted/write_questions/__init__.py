"""Write the ranked questions."""
