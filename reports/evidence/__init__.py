"""What each metric saw in a summary, as HTML and in sentences."""
