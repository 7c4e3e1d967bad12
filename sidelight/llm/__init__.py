"""Language models, the only package that calls one: client, structured answers, cache, budget."""
