"""Values of an investigation, from the angles of an article to its outcome."""
