"""From shards of documents to segments whose text can be fetched by id."""
