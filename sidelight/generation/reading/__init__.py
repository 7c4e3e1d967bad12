"""Reading of pages and articles as text, shared by performers with and without a model."""
