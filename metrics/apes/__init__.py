"""APES: the references' questions, answered by a reader from the summary (Eyal et al. 2019)."""

from relevance.metrics.apes.metric import Apes

__all__ = ["Apes"]
