"""Commands `rubric`: labels and leaderboards from passages graded by a bank."""
