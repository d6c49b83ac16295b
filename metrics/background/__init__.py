"""Scoring and explaining in separate processes, so that the web process never loads a model."""
