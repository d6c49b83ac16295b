"""Parts of the page Annotators."""
