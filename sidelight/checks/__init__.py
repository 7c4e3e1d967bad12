"""Checks of one question or one sentence, shared by writers and judges."""
