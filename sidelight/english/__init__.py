"""English text: a dependency parse of each sentence, names, quantities and cleaning of pages."""
