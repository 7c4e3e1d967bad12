"""Tell how far what was read reaches."""
