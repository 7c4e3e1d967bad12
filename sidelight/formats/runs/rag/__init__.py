"""Answers to narratives, in the forms that the RAG tracks have had."""
