"""Everything on disk that searching needs: segments, a Lucene index, vectors and their manifest."""
