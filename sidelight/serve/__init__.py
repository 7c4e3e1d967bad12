"""Web app for one machine: paste an article, watch the investigation, read the page."""
