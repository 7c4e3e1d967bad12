"""How relevant a passage is to a query as a whole: the baselines that RUBRIC is held against."""
