"""Remote index: searched over the REST interfaces of Anserini and Pyserini."""
