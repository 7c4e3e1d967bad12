"""Read what the searches brought, page by page, once."""
