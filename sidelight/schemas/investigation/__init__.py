"""What an investigation works with, from the angles of an article to its outcome."""
