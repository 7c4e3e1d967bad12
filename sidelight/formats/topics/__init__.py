"""Files of what is to be worked on."""
