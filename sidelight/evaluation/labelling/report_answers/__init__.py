"""What a report tells about each expected answer."""
