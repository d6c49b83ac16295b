"""The page Studies."""
