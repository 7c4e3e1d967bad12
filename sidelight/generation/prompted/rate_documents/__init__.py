"""Tell how useful documents are."""
