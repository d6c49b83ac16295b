"""APES: can a reader answer the references' questions from the summary? (Eyal et al. 2019)."""

from metrics.apes.metric import Apes

__all__ = ["Apes"]
