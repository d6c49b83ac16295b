"""The evidence of each metric's score of a summary, as HTML and in sentences."""
