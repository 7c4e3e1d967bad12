"""Lexical features of a pair of texts: words, names, order, negation, contradiction."""
