"""Text of an index: shards of documents to segments that can be fetched by id."""
