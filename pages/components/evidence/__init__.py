"""Evidence of metrics on pages: computing and showing it."""
