"""The investigation as a LangGraph graph: state, deps, routing, wiring, and one node per step."""
