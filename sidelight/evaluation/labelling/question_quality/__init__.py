"""How good the questions of a run are, one by one."""
