"""The page Adjudicate."""
