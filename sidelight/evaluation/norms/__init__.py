"""What a ranking depends on: experts' rubrics, or facts pooled from the runs themselves."""
