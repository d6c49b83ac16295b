"""Judging: the annotator, the pair, the answers, and the end."""
