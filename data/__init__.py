"""Documents and candidate summaries: records, importers, the demo corpus and the database."""
