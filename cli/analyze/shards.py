"""Analysis of a folder of scored shards: scores as they are, with ratings if there are any."""

from dataclasses import replace
from pathlib import Path

import click
import numpy as np
from click.core import ParameterSource

from relevance.analysis.study import Settings, check_systems
from relevance.cli.analyze.options import AnalysisOptions, AskedTables, choose_baselines
from relevance.cli.metric_options import refuse_metric_options
from relevance.cli.shared import say, split_names
from relevance.data.files import sha256
from relevance.data.scored_shards import read_scored_shards
from relevance.data.shards import MANIFEST, read_manifest
from relevance.data.sorting import natural_order
from relevance.metrics.scoring import MissingCounts, NoRatings
from relevance.reports.contents import Contents
from relevance.reports.contents.beside_systems import put_beside
from relevance.reports.contents.study import USUAL, make_cell_contents
from relevance.reports.contents.texts import OF_MARKS
from relevance.reports.tables.registry import table_names


def describe_shards(
    folder: Path, names: str, asked: AskedTables, settings: Settings, options: AnalysisOptions
) -> Contents:
    """Make the tables of a folder of scored shards, for all of its metrics or the `names` of --metrics if given.

    There are no texts, and so no tables of texts.
    """
    refuse_metric_options(kept=("names",), beside="a folder of scored shards")
    context = click.get_current_context()
    if context.get_parameter_source("format") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--input-format goes with a file, not with a folder of scored shards")
    if of_texts := [name for name in asked.names if name in asked.of_texts or name in OF_MARKS["marked"]]:
        raise click.UsageError(f"{', '.join(of_texts)}: a folder of scored shards has no texts; name the file itself")
    given = context.get_parameter_source("names") == ParameterSource.COMMANDLINE
    metrics = [*dict.fromkeys([*split_names(names), "length"])] if given else None
    manifest = read_manifest(folder)
    if metrics is not None and "length" not in manifest.signatures:
        metrics = [name for name in metrics if name != "length"]
    shards = read_scored_shards(folder, metrics)
    cells, human = shards.cells, settings.human
    check_systems(settings.systems, cells.systems, "--systems")
    if human is not None and human not in cells.ratings:
        known = ", ".join(cells.ratings) or "none at all"
        raise NoRatings(f"there are no human ratings of {human!r}; there are {known}")
    kept = np.ones(len(cells), dtype=bool)
    if settings.systems:
        kept = np.isin(cells.systems, settings.systems)
        cells = cells.at(np.flatnonzero(kept).tolist())
    gaps = {
        signature: MissingCounts(int(np.isnan(values).sum()), int(shards.truncated[signature][kept].sum()))
        for signature, values in cells.scores.items()
    }
    systems = sorted(set(cells.systems), key=natural_order)
    settings = replace(
        settings,
        human=human or (USUAL if USUAL in cells.ratings else None),
        baselines=choose_baselines(options.baselines, systems, asked),
    )
    facts = {
        "folder": folder.name,
        "SHA-256 of its manifest": sha256(folder / MANIFEST),
        "documents": str(shards.documents),
        "summaries": str(len(cells)),
        "systems": ", ".join(systems),
    }
    if manifest.left_out:
        facts["left out of the input"] = "; ".join(part.where for part in manifest.left_out)
        say(f"parts of the input were left out when it was scored: {facts['left out of the input']}")
    contents = make_cell_contents(cells, settings, facts, gaps)
    published = (options.published or "").removesuffix("none") or None
    shown = put_beside(contents.shown, published=published)
    contents = replace(contents, shown=shown, names=table_names(shown))
    asked.check(contents.names)
    return contents
