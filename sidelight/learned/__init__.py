"""Judges that learned from people's labels: what a text says, and what a source supports."""
