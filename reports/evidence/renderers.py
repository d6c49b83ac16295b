"""The renderers of metrics' evidence, by the name in a metric's file: `relevance.metrics.kind.MetricKind.renderer`."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from relevance.data.records import Example
from relevance.data.signatures import name_of
from relevance.metrics import METRICS
from relevance.reports.evidence.apes import apes_html, describe_apes
from relevance.reports.evidence.bertscore import bertscore_html, describe_bertscore
from relevance.reports.evidence.carouge import carouge_html, describe_carouge
from relevance.reports.evidence.phrases import Seen
from relevance.reports.evidence.rouge import describe_rouge, rouge_html
from relevance.reports.evidence.rouge_k import describe_keywords, rouge_k_html


class Renderer(NamedTuple):
    """The functions that show one kind of evidence."""

    html: Callable[[Any, Example], str]
    """Writes the texts of one example, marked by its evidence, as HTML."""
    describe: Callable[[Sequence[Seen]], list[str]]
    """Writes sentences about the evidence of one to four summaries of a document."""


RENDERERS = {
    "rouge": Renderer(rouge_html, describe_rouge),
    "rouge_k": Renderer(rouge_k_html, describe_keywords),
    "bertscore": Renderer(bertscore_html, describe_bertscore),
    "carouge": Renderer(carouge_html, describe_carouge),
    "apes": Renderer(apes_html, describe_apes),
}


def renderer_of(signature: str) -> Renderer | None:
    """Return the renderer of a signature's metric; None if it has nothing to show."""
    kind = METRICS.get(name_of(signature))
    return RENDERERS[kind.renderer] if kind is not None and kind.renderer else None
