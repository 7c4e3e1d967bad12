"""What a page says, sentence by sentence, made to stand without the rest of the page."""
