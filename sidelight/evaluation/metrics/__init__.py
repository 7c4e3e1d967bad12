"""One metric a module: formula, symbols, source and edge cases in its docstring."""
