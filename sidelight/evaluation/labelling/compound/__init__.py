"""Whether a submitted question asks more than one thing."""
