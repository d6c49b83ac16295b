"""The report of a study."""

from pathlib import Path

import click

from relevance.analysis.correlation.permuted import Permute
from relevance.analysis.correlation.resampled import Resample
from relevance.analysis.study import Settings
from relevance.bundles.changes import describe_registration
from relevance.cli.analyze.options import (
    baselines_option,
    choose_baselines,
    permute_option,
    resample_option,
    systems_option,
)
from relevance.cli.shared import SEED, check_output, open_stores, report_refusals, split_names, tell
from relevance.reports.html_report import write_report


@click.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder; created if need be, and files of the same names are replaced.",
)
@systems_option
@baselines_option
@resample_option
@permute_option
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of bootstrap, flips and permutations.")
@report_refusals
def report(
    name: str,
    folder: Path,
    systems: str,
    baselines: str | None,
    resample: Resample | None,
    permute: Permute | None,
    seed: int,
) -> None:
    """Write a report of the study NAME: one HTML file with tables, charts and a methods paragraph, and its data."""
    if not folder.is_dir():
        check_output(folder, [])
    data_store, annotation_store = open_stores()
    only = tuple(split_names(systems))
    known = only or annotation_store.study(name).systems
    settings = Settings(
        systems=only,
        baselines=choose_baselines(baselines, known),
        resample=resample,
        permute=permute,
        seed=seed,
    )
    facts = describe_registration(data_store, annotation_store, name)
    for path in write_report(data_store, annotation_store, name, folder, settings, facts):
        tell(str(path))
