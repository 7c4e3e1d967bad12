"""LangGraph graphs of an investigation: state, dependencies, routing, and one node per step."""
