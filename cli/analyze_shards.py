"""Hold metrics against people and each other by a folder of scored shards, as `relevance analyze` does by a file."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from cli.metric_options import refuse_metric_options
from cli.shared import split_names

if TYPE_CHECKING:
    from analysis.study import Settings
    from cli.analyze import AnalysisOptions
    from reports.contents import Contents


def print_shards(
    folder: Path,
    settings: Settings,
    options: AnalysisOptions,
    names: str | None,
    wanted: str | None,
    table_format: str,
) -> None:
    """Print the tables of a folder of scored shards; there are no texts, and so no tables of texts."""
    from cli.analyze import check_tables, print_contents
    from reports.texts import OF_MARKS, OF_TEXTS

    refuse_metric_options(kept=("names",), beside="a folder of scored shards")
    context = click.get_current_context()
    if context.get_parameter_source("format") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--input-format goes with a file, not with a folder of scored shards")
    given = context.get_parameter_source("names") == ParameterSource.COMMANDLINE
    metrics = dict.fromkeys([*split_names(names or ""), "length"]) if given else None
    asked = split_names(wanted or "")
    if of_texts := [
        name for name in asked if any(name in (key, *OF_TEXTS[key]) for key in OF_TEXTS) or name in OF_MARKS
    ]:
        raise click.UsageError(f"{', '.join(of_texts)}: a folder of scored shards has no texts; name the file itself")
    found = contents_of_shards(folder, settings, options, metrics)
    check_tables(asked, found.names)
    print_contents(found if wanted is None else found.only(asked), table_format)


def contents_of_shards(
    folder: Path, settings: Settings, options: AnalysisOptions, metrics: Collection[str] | None
) -> Contents:
    """Say everything about the scores of a folder of shards, by some metrics or by all of them."""
    import numpy as np

    from analysis.study import check_systems
    from cli.analyze import choose_baselines
    from data.files import sha256
    from data.scored_shards import read_scored_shards
    from data.shards import MANIFEST, read_manifest
    from data.sorting import natural_order
    from metrics.scoring import MissingCounts, NoRatings
    from reports.beside_systems import put_beside
    from reports.study import USUAL, make_cell_contents
    from reports.tables.study import table_names

    if metrics is not None and "length" not in read_manifest(folder).signatures:
        metrics = [name for name in metrics if name != "length"]
    found = read_scored_shards(folder, metrics)
    cells, human = found.cells, settings.human
    check_systems(settings.systems, cells.systems, "--systems")
    if human is not None and human not in cells.ratings:
        known = ", ".join(cells.ratings) or "none at all"
        raise NoRatings(f"there are no human ratings of {human!r}; there are {known}")
    kept = np.ones(len(cells), dtype=bool)
    if settings.systems:
        kept = np.isin(cells.systems, settings.systems)
        cells = cells.at(np.flatnonzero(kept).tolist())
    gaps = {
        signature: MissingCounts(int(np.isnan(values).sum()), int(found.truncated[signature][kept].sum()))
        for signature, values in cells.scores.items()
    }
    systems = sorted(set(cells.systems), key=natural_order)
    settings = replace(
        settings,
        human=human or (USUAL if USUAL in cells.ratings else None),
        baselines=choose_baselines(options.baselines, systems),
    )
    facts = {
        "folder": folder.name,
        "SHA-256 of its manifest": sha256(folder / MANIFEST),
        "documents": str(found.documents),
        "summaries": str(len(cells)),
        "systems": ", ".join(systems),
    }
    contents = make_cell_contents(cells, settings, facts, gaps)
    published = (options.published or "").removesuffix("none") or None
    analysis = put_beside(contents.analysis, published=published)
    return replace(contents, analysis=analysis, names=table_names(analysis))
