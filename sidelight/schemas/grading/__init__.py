"""Values of grading: rubrics, labels, grades and measures."""
