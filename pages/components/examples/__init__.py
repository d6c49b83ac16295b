"""Pairs of summaries: the list, and one pair with its texts, scores and evidence."""
