"""Lucene through one Java virtual machine."""
