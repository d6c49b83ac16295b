"""Tables made from texts alone, for a file, a data set or a study."""

from collections.abc import Mapping, Sequence
from typing import Any

import click

from relevance.cli.analyze.options import TableRequest
from relevance.cli.metric_options import chosen_metrics, refuse_metric_options
from relevance.cli.shared import Records, Refused
from relevance.metrics.rouge_k import RougeK
from relevance.reports.report import Report
from relevance.reports.report.texts import OF_TEXTS, make_text_report


def describe_texts(
    records: Records,
    facts: Mapping[str, str],
    chosen: dict[str, Any],
    request: TableRequest,
    systems: Sequence[str],
    kept: Sequence[str] | None = None,
) -> Report:
    """Make the tables of texts that are asked for; `kept`, if given, are the only allowed options of metrics."""
    if not request.of_texts.isdisjoint(OF_TEXTS["keywords"]):
        if chosen["only"]:
            raise click.UsageError(
                "--only cannot be given with these tables, which already divide keywords by the source"
            )
        check_summaries(records, facts)
    if kept is not None:
        refuse_metric_options(kept)
    made = chosen_metrics({**chosen, "names": "rouge_k", "only": None}, lambda: records)
    (metric,) = (metric for metric in made if isinstance(metric, RougeK))
    return make_text_report(records, metric, request.of_texts, facts, systems)


def check_summaries(records: Records, facts: Mapping[str, str]) -> None:
    """Refuse documents without any summary."""
    if not any(summaries for _, summaries in records):
        file = facts.get("file")
        way = "use relevance summarize" if file is None else "import it and use relevance summarize"
        raise Refused(f"{file or facts['data set']} has no summaries; {way}, or ask for --tables dataset")
