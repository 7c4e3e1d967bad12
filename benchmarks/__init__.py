"""What is timed against what; each `bench_*` module writes one file of results."""
