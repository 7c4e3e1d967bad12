"""Fitting the learned judges on labels by people, and holding them against such labels."""
