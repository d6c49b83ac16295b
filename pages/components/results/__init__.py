"""Parts of the pages of results."""
