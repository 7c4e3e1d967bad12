"""The scores of the organizers' script, and why ours differ."""
