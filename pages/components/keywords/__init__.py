"""The page Keywords."""
