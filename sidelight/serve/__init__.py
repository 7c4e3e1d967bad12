"""A local web app: paste an article, watch it being investigated, read the page."""
