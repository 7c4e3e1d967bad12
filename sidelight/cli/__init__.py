"""Commands: the only place that parses arguments, prints, and turns errors into exit codes."""
