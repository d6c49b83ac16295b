"""The renderers of metrics' evidence, by the name in a metric's file: `relevance.metrics.kind.MetricKind.renderer`."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from relevance.data.records import Example, set_against_source
from relevance.data.signatures import is_against_source, name_of
from relevance.metrics import METRICS
from relevance.reports.evidence.apes import apes_html, apes_passages, describe_apes
from relevance.reports.evidence.bertscore import BEST, bertscore_html, bertscore_passages, describe_bertscore
from relevance.reports.evidence.blocks import Passage
from relevance.reports.evidence.carouge import NEAREST, carouge_html, carouge_passages, describe_carouge
from relevance.reports.evidence.matched import describe_matched, matched_html, matched_passages
from relevance.reports.evidence.phrases import Seen
from relevance.reports.evidence.rouge import describe_rouge, rouge_html, rouge_passages
from relevance.reports.evidence.rouge_k import FOUND_OR_MISSING, describe_keywords, rouge_k_html, rouge_k_passages


class Renderer(NamedTuple):
    """The functions that show one kind of evidence."""

    html: Callable[[Any, Example], str]
    """Writes the texts of one example, marked by its evidence, as HTML."""
    describe: Callable[[Sequence[Seen]], list[str]]
    """Writes sentences about the evidence of one to four summaries of a document."""
    passages: Callable[[Any, Example], list[Passage]]
    """Returns the marked texts of one example: the summary, then what it was compared with, if that is marked."""
    legend: Mapping[str, str] = {}
    """The meanings of kinds of marks whose usual names do not fit."""


RENDERERS = {
    "rouge": Renderer(rouge_html, describe_rouge, rouge_passages),
    "rouge_k": Renderer(rouge_k_html, describe_keywords, rouge_k_passages, FOUND_OR_MISSING),
    "bertscore": Renderer(bertscore_html, describe_bertscore, bertscore_passages, BEST),
    "carouge": Renderer(carouge_html, describe_carouge, carouge_passages, NEAREST),
    "apes": Renderer(apes_html, describe_apes, apes_passages),
    "matched": Renderer(matched_html, describe_matched, matched_passages),
}


def renderer_of(signature: str) -> Renderer | None:
    """Return the renderer of a signature's metric; None if it has nothing to show, or nobody knows how."""
    kind = METRICS.get(name_of(signature))
    renderer = None if kind is None or kind.renderer is None else RENDERERS.get(kind.renderer)
    if renderer is None:
        return None
    return against_source(renderer) if is_against_source(signature) else renderer


def against_source(renderer: Renderer) -> Renderer:
    """Return the renderer for a metric that set the summaries against their sources."""
    return Renderer(
        lambda evidence, example: renderer.html(evidence, set_against_source(example)),
        lambda seen: renderer.describe(
            [summary._replace(example=set_against_source(summary.example)) for summary in seen]
        ),
        lambda evidence, example: renderer.passages(evidence, set_against_source(example)),
        renderer.legend,
    )
