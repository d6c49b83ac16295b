"""Judging: who judges, the pair, what is answered, and the end."""
