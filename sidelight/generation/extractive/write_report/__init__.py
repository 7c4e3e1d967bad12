"""Report writer without a model: quotable statements, their worth, and the choice among them."""
