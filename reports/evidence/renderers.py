"""What shows the evidence of a metric, by the name that its file gives: `metrics.kind.MetricKind.renderer`."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from data.records import Example
from data.signatures import name_of
from metrics import METRICS
from reports.evidence.apes import apes_html, describe_apes
from reports.evidence.bertscore import bertscore_html, describe_bertscore
from reports.evidence.carouge import carouge_html, describe_carouge
from reports.evidence.phrases import Seen
from reports.evidence.rouge import describe_rouge, rouge_html
from reports.evidence.rouge_k import describe_keywords, rouge_k_html


class Renderer(NamedTuple):
    """How one kind of evidence is shown."""

    html: Callable[[Any, Example], str]
    """The texts of one example, marked by its evidence."""
    describe: Callable[[Sequence[Seen]], list[str]]
    """Sentences about the evidence of one to four summaries of a document."""


RENDERERS = {
    "rouge": Renderer(rouge_html, describe_rouge),
    "rouge_k": Renderer(rouge_k_html, describe_keywords),
    "bertscore": Renderer(bertscore_html, describe_bertscore),
    "carouge": Renderer(carouge_html, describe_carouge),
    "apes": Renderer(apes_html, describe_apes),
}


def renderer_of(signature: str) -> Renderer | None:
    """What shows the evidence of a signature's metric; None for one that has nothing to show."""
    kind = METRICS.get(name_of(signature))
    return RENDERERS[kind.renderer] if kind is not None and kind.renderer else None
