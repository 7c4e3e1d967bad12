"""The only package that talks to a model: client, structured answers, cache and budget."""
