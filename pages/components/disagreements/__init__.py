"""The page When metrics disagree."""
