"""A run as one page to read: what it found, how, and what assessors make of it."""
