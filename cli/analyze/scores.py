"""Analysis of a file or data set: scores of its summaries, with ratings if it has any."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from relevance.analysis.study import Settings, check_systems
from relevance.cli.analyze.given import with_given
from relevance.cli.analyze.options import AnalysisOptions, TableRequest, choose_baselines
from relevance.cli.analyze.texts import check_summaries, describe_texts
from relevance.cli.metric_options import chosen_metrics
from relevance.cli.shared import Records, Refused, is_file, read_records, store_with
from relevance.cli.stored_scores import score_missing
from relevance.data.cells import Cells
from relevance.data.cleaning import describe_cleaning
from relevance.data.files import sha256
from relevance.data.signatures import references_rule
from relevance.data.sorting import natural_order
from relevance.data.store import DataStore
from relevance.metrics import is_lexical
from relevance.metrics.base import Metric
from relevance.metrics.cleaned import of_texts
from relevance.metrics.notices import find_notices
from relevance.metrics.scoring import Failures, MissingCounts, NoRatings, check_ratings, score_cells, with_length
from relevance.reports.report import Report
from relevance.reports.report.study import USUAL, make_cell_report
from relevance.reports.report.system_figures import add_system_figures
from relevance.reports.report.texts import with_texts
from relevance.reports.tables.registry import OF_PEOPLE


def describe_scores(
    name: str,
    format: str | None,
    chosen: dict[str, Any],
    request: TableRequest,
    settings: Settings,
    options: AnalysisOptions,
    failures: Failures,
) -> Report:
    """Make the tables of a file or data set; metrics that fail are added to `failures`."""
    if is_file(name, format):
        store, dataset, records = None, None, read_records(Path(name), format, clean=options.clean)
        facts = {"file": Path(name).name, "SHA-256": sha256(Path(name))}
        facts |= {"texts": describe_cleaning()} if options.clean else {}
    else:
        store, dataset = store_with(name), name
        records = store.records(name)
        stored = store.dataset(name)
        facts = {"data set": name, "SHA-256 of its file": stored.sha256}
        facts |= {"texts": describe_cleaning(stored.cleaned)} if stored.cleaned else {}
    texts = describe_texts(records, facts, chosen, request, settings.systems) if request.of_texts else None
    if texts is not None and request.only_texts:
        return texts
    systems = settings.systems or [summary.system for _, summaries in records for summary in summaries]
    settings = replace(
        settings,
        human=choose_rating(records, settings.human, request.names),
        baselines=choose_baselines(options.baselines, systems, request),
    )
    check_summaries(records, facts)
    report = analyze_scores(name, records, store, facts, settings, chosen, failures, clean=options.clean)
    if request.system_figures:
        report = add_system_figures(report, records, store, dataset, options.published)
    request.check(report.names)
    return report if texts is None else with_texts(report, texts)


def choose_rating(records: Records, human: str | None, tables: Iterable[str]) -> str | None:
    """Return the rating to compare metrics with; None if the usual one does not exist and is not needed."""
    try:
        check_ratings(records, human or USUAL)
    except NoRatings as error:
        needed = [table for table in tables if table in OF_PEOPLE]
        if human is None and not needed:
            return None
        raise Refused(f"{', '.join(needed)}: {error}" if needed else str(error)) from error
    return human or USUAL


def analyze_scores(
    name: str,
    records: Records,
    store: DataStore | None,
    facts: dict[str, str],
    settings: Settings,
    chosen: dict[str, Any],
    failures: Failures,
    *,
    clean: bool,
) -> Report:
    """Score the summaries of a file, or of a data set of the `store`, and compare the scores with ratings."""
    metrics = with_length(chosen_metrics(chosen, lambda: records))
    twins = by_mean_too(records, metrics, chosen)
    metrics, twins = of_texts(metrics, clean=clean), of_texts(twins, clean=clean)
    systems = [summary.system for _, summaries in records for summary in summaries]
    check_systems(settings.systems, systems, "--systems")
    check_systems(settings.baselines, settings.systems or systems, "--baselines")
    batches = [metrics, twins] if twins else [metrics]  # two metrics of one name cannot be in one batch
    only = settings.systems or None
    if store is None:
        parts = [score_cells(records, batch, failures, only) for batch in batches]
        scores = {signature: values for cells, _ in parts for signature, values in cells.scores.items()}
        cells = replace(parts[0][0], scores=scores)
        gaps = {signature: gap for _, part in parts for signature, gap in part.items()}
    else:
        cells, gaps = stored_cells(store, name, batches, failures, only)
    cells, gaps = with_given(cells, gaps, store, name, records)
    facts = {
        **facts,
        "documents": str(len(records)),
        "summaries": str(len(cells)),
        "systems": ", ".join(sorted(set(cells.systems), key=natural_order)),
    }
    facts |= {kind: "; ".join(sentences) for kind, sentences in find_notices(records, cells.scores).items()}
    return make_cell_report(cells, settings, facts, gaps)


def stored_cells(
    store: DataStore, name: str, batches: Iterable[Sequence[Metric]], failures: Failures, only: Sequence[str] | None
) -> tuple[Cells, dict[str, MissingCounts]]:
    """Return the scores of a data set by some metrics; missing ones are computed and stored."""
    signatures = []
    for metrics in batches:
        score_missing(store, name, metrics, failures)
        signatures += [metric.signature for metric in metrics]
    cells = store.cells(name).in_order()
    nothing = np.full(len(cells), np.nan)
    cells = replace(cells, scores={signature: cells.scores.get(signature, nothing) for signature in signatures})
    cells = cells if only is None else cells.of_systems(only)
    gaps = {}
    for signature in signatures:
        scores = store.scores(dataset=name, signature=signature)
        cut = sum(score.truncated for (_, system), score in scores.items() if only is None or system in only)
        gaps[signature] = MissingCounts(int(np.isnan(cells.scores[signature]).sum()), cut)
    return cells, gaps


def by_mean_too(records: Records, metrics: Sequence[Metric], chosen: dict[str, Any]) -> list[Metric]:
    """Return the lexical metrics among these by the mean over references, if the table of ROUGE-K needs them."""
    signatures = {metric.name: metric.signature for metric in metrics}
    names = [
        name for name, signature in signatures.items() if is_lexical(signature) and references_rule(signature) == "max"
    ]
    several = any(len(document.references) > 1 for document, _ in records)
    if not (several and names and any(metric.name == "rouge_k" for metric in metrics)):
        return []
    return chosen_metrics({**chosen, "names": ",".join(names), "references": "mean"}, list)
