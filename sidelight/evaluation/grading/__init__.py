"""Grading of passages of any origin, cell by cell, and corrections of grades by people."""
