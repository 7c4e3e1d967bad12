"""The page on which people check grades: passages by items, one grade and answer a cell."""
