"""Who labels what: one room for each thing that is labelled."""
