"""Judgments by people and by language models: reliability, rankings of systems, marks of keywords."""
