"""The page Upper bound."""
