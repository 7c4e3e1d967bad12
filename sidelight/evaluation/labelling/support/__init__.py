"""Whether what reports cite says what they say."""
