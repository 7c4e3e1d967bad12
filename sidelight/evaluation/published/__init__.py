"""Published figures, and the same ones from the data that they were published with."""
