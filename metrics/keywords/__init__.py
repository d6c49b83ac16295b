"""Keywords of documents: their sources, and the recall of them by summaries."""
