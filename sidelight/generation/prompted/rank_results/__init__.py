"""Put search results in order."""
