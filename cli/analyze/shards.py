"""Analysis of a folder of scored shards: scores as they are, with ratings if there are any."""

from pathlib import Path

import click
from click.core import ParameterSource

from relevance.analysis.study import Settings
from relevance.cli.analyze.cells import describe_cells, refuse_texts
from relevance.cli.analyze.options import AnalysisOptions, TableRequest
from relevance.cli.shared import say, split_names
from relevance.data.files import sha256
from relevance.data.scored_shards import read_scored_shards
from relevance.data.shards import MANIFEST, read_manifest
from relevance.reports.report import Report


def describe_shards(
    folder: Path, names: str, request: TableRequest, settings: Settings, options: AnalysisOptions
) -> Report:
    """Make the tables of a folder of scored shards, for all of its metrics or the `names` of --metrics if given.

    There are no texts, and so no tables of texts.
    """
    refuse_texts(request, "a folder of scored shards")
    context = click.get_current_context()
    if context.get_parameter_source("format") == ParameterSource.COMMANDLINE:
        raise click.UsageError("--input-format goes with a file, not with a folder of scored shards")
    given = context.get_parameter_source("names") == ParameterSource.COMMANDLINE
    metrics = [*dict.fromkeys([*split_names(names), "length"])] if given else None
    manifest = read_manifest(folder)
    if metrics is not None and "length" not in manifest.signatures:
        metrics = [name for name in metrics if name != "length"]
    shards = read_scored_shards(folder, metrics)
    facts = {
        "folder": folder.name,
        "SHA-256 of its manifest": sha256(folder / MANIFEST),
        "documents": str(shards.documents),
    }
    if manifest.left_out:
        facts["left out of the input"] = "; ".join(part.where for part in manifest.left_out)
        say(f"parts of the input were left out when it was scored: {facts['left out of the input']}")
    return describe_cells(shards.cells, shards.truncated, facts, request, settings, options)
