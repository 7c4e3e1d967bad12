"""What both ways of working share: reading pages and articles as text."""
