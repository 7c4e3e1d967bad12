"""Run files: small valid ones, broken ones, and the track's rules a second time."""
