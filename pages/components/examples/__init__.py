"""Pairs of summaries: the list, one pair, and the one that is presented."""
