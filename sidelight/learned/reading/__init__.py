"""What is read off a pair of texts: words, names, order, denial, opposition."""
