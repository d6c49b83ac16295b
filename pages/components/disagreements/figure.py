"""The figure of an example: which summary each metric prefers, and by how much."""

import re
from collections.abc import Mapping, Sequence

from relevance.data.signatures import labels
from relevance.metrics.explained import Explained
from relevance.metrics.registry import label_of
from relevance.pages.components.disagreements.examples import Disagreement
from relevance.pages.components.disagreements.presented import ShownScore, preference, written_scores
from relevance.pages.components.examples.texts import standing_of
from relevance.pages.components.shared.charts import show_chart
from relevance.pages.components.shared.records import opening_of
from relevance.reports.evidence.phrases import say_preference
from relevance.reports.verdict_chart import MetricVerdict, verdict_chart

OF_LARGEST = "difference as a share of the metric's largest"
OF_HIGHER = "difference as a share of the higher score"


def list_verdicts(shown: Disagreement, evidence: Mapping[str, Sequence[ShownScore]]) -> list[MetricVerdict]:
    """List the preferences of the metrics that have both scores."""
    named = labels(list(evidence), label_of)
    verdicts = []
    for signature, both in evidence.items():
        values = [
            explained.value for explained in both if isinstance(explained, Explained) and explained.value is not None
        ]
        if len(values) < 2:
            continue
        a, b = values
        whole = shown.largest.get(signature) or max(abs(a), abs(b)) or 1.0
        standing = standing_of(preference(both), shown.prefers).kind
        scores = " : ".join(written_scores(signature, both))
        verdicts.append(MetricVerdict(named[signature], (b - a) / whole, standing, scores))
    return verdicts


def show_figure(shown: Disagreement, scores: Mapping[str, Sequence[ShownScore]]) -> None:
    """Show the figure with its downloads; nothing if no metric has both scores."""
    verdicts = list_verdicts(shown, scores)
    if not verdicts:
        return
    of = OF_LARGEST if shown.largest else OF_HIGHER
    title, preferred = opening_of(shown.examples[0]), say_preference(shown.judges, shown.prefers)
    words = "; ".join(f"{verdict.metric} {verdict.scores}, {verdict.standing}" for verdict in verdicts)
    show_chart(
        verdict_chart(verdicts, preferred, title, of),
        f"verdicts-{re.sub(r'[^A-Za-z0-9]+', '-', shown.document_id)[:60]}",
        f"{preferred}. Scores of A and B: {words}.",
    )
