"""The model of good questions, trained anew on public grades."""
