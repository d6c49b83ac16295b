"""Keywords of documents: where they come from and how many of them summaries have."""
