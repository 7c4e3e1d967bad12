"""Draft the rubric that assessors may write."""
