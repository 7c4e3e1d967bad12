"""Checks of one question or one sentence: what a writer avoids is what a judge flags."""
