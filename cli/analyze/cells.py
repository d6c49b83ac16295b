"""Analysis of scores that come without texts: a table, or a folder of scored shards."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from click.core import ParameterSource

from relevance.analysis.study import Settings, check_systems
from relevance.cli.analyze.options import AnalysisOptions, TableRequest, choose_baselines
from relevance.cli.metric_options import refuse_metric_options
from relevance.cli.shared import Refused, say, split_names
from relevance.data.cells import Cells
from relevance.data.files import sha256
from relevance.data.importers.scored_table import read_cells
from relevance.data.signatures import GIVEN, name_of
from relevance.data.sorting import natural_order
from relevance.metrics.scoring import MissingCounts, NoRatings
from relevance.reports.report import Report
from relevance.reports.report.study import USUAL, make_cell_report
from relevance.reports.report.system_figures import set_system_figures
from relevance.reports.report.texts import OF_MARKS
from relevance.reports.tables.registry import table_names


def describe_table(
    path: Path, names: str, request: TableRequest, settings: Settings, options: AnalysisOptions
) -> Report:
    """Make the tables of a file with scores and ratings, for all of its metrics or, if given, those of --metrics."""
    refuse_texts(request, "a table of scores")
    cells = read_cells(path, say)
    if click.get_current_context().get_parameter_source("names") == ParameterSource.COMMANDLINE:
        known = {name_of(signature).removeprefix(GIVEN): signature for signature in cells.scores}
        wanted = list(dict.fromkeys(split_names(names)))
        if unknown := [name for name in wanted if name not in known]:
            raise Refused(f"{path.name}: there are no scores by {', '.join(unknown)}; there are {', '.join(known)}")
        cells = replace(cells, scores={known[name]: cells.scores[known[name]] for name in wanted})
    facts = {"file": path.name, "SHA-256": sha256(path), "documents": str(len(set(cells.documents)))}
    return describe_cells(cells, {}, facts, request, settings, options)


def refuse_texts(request: TableRequest, what: str) -> None:
    """Refuse options of metrics, and tables of texts. Raises UsageError."""
    refuse_metric_options(kept=("names",), beside=what)
    if of_texts := [name for name in request.names if name in request.of_texts or name in OF_MARKS["marked"]]:
        raise click.UsageError(f"{', '.join(of_texts)}: {what} has no texts; name the file itself")


def describe_cells(
    cells: Cells,
    truncated: Mapping[str, np.ndarray],
    facts: dict[str, str],
    request: TableRequest,
    settings: Settings,
    options: AnalysisOptions,
) -> Report:
    """Make the tables of cells; `truncated` marks, by signature, those of which a model saw only a part."""
    human = settings.human
    check_systems(settings.systems, cells.systems, "--systems")
    if human is not None and human not in cells.ratings:
        known = ", ".join(cells.ratings) or "none at all"
        raise NoRatings(f"there are no human ratings of {human!r}; there are {known}")
    kept = np.ones(len(cells), dtype=bool)
    if settings.systems:
        kept = np.isin(cells.systems, settings.systems)
        cells = cells.at(np.flatnonzero(kept).tolist())
    gaps = {
        signature: MissingCounts(
            int(np.isnan(values).sum()), int(truncated[signature][kept].sum()) if signature in truncated else 0
        )
        for signature, values in cells.scores.items()
    }
    systems = sorted(set(cells.systems), key=natural_order)
    settings = replace(
        settings,
        human=human or (USUAL if USUAL in cells.ratings else None),
        baselines=choose_baselines(options.baselines, systems, request),
    )
    facts = {**facts, "summaries": str(len(cells)), "systems": ", ".join(systems)}
    report = make_cell_report(cells, settings, facts, gaps)
    published = (options.published or "").removesuffix("none") or None
    shown = set_system_figures(report.shown, published=published)
    report = replace(report, shown=shown, names=table_names(shown))
    request.check(report.names)
    return report
