"""Model servers: the HTTP client, a probe of abilities, and a vLLM server started here."""
