"""Scoring and explaining in processes of their own, so that the web process never loads a model."""
