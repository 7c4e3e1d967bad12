"""Write the cited report."""
