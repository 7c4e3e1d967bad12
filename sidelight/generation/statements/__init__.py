"""Statements: the sentences of a page, changed so that each can stand alone."""
