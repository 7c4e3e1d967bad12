"""An index that somebody else keeps, searched over REST as Anserini and Pyserini offer it."""
