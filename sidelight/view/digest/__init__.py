"""What a reader sees first: who is behind an article, what it says, and what others found."""
