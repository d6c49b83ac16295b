"""Parts of the page People."""
