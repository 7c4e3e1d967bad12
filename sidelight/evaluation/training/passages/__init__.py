"""Models that grade passages, trained anew on public labels."""
