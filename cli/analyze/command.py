"""The command `analyze`: metrics compared with people and with each other."""

from pathlib import Path
from typing import Any

import click

from relevance.cli.analyze.options import (
    AnalysisOptions,
    TableRequest,
    baselines_option,
    permute_option,
    resample_option,
    systems_option,
)
from relevance.cli.metric_options import MetricCommand, with_metrics
from relevance.cli.printing import print_results
from relevance.cli.shared import (
    SEED,
    check_failures,
    clean_option,
    gathered,
    input_format_option,
    refuse_clean,
    report_refusals,
    table_format_option,
)
from relevance.data.importers.scored_table import fits as is_scored_table
from relevance.data.shards import is_sharded
from relevance.metrics.scoring import Failures
from relevance.reports.report import report_as_json


@click.command(cls=MetricCommand)
@click.argument("file", required=False, metavar="FILE|NAME")
@click.option("--study", "study_name", help="Analyse the judgments of this study instead of ratings.")
@click.option(
    "--adjudicated", is_flag=True, help="With --study: analyse adjudicators' decisions instead of the judgments."
)
@click.option("--human", help="Rating to compare metrics with.  [default: relevance; for a study, the judgments won]")
@click.option(
    "--by-annotator",
    is_flag=True,
    help="Compare metrics with the ratings of each annotator, and with their majority, instead of the mean ratings.",
)
@with_metrics
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of bootstrap, flips and permutations.")
@click.option(
    "--tables",
    "wanted",
    help="Tables to print, separated by commas, such as agreement,comparisons,human,matrix; by default all except "
    "keywords: ROUGE-K of the systems by keywords in and not in the source, and by their length; and dataset: numbers "
    "of keywords and lengths of texts. marked: for a study, words that annotators marked compared with keywords.",
)
@systems_option
@baselines_option
@click.option(
    "--rule",
    type=click.Choice(["half", "strict", "decided"]),
    default="half",
    show_default=True,
    help="Rule for a metric's tie when two metrics are compared: it earns half, nothing, or is left out.",
)
@click.option("--coefficients", default="pearson,spearman,kendall", show_default=True, help="Correlation coefficients.")
@resample_option
@permute_option
@click.option(
    "--published",
    type=click.Choice(["scitldr", "xsum", "scisummnet", "none"]),
    help="Data set whose published figures are added to the tables of systems.  [default: the one of these documents]",
)
@table_format_option
@input_format_option
@clean_option
@report_refusals
@gathered("options", AnalysisOptions)
def analyze(
    file: str | None,
    study_name: str | None,
    human: str | None,
    chosen: dict[str, Any],
    wanted: str | None,
    options: AnalysisOptions,
    table_format: str,
    format: str | None,
) -> None:
    """Compare metrics with people and each other: with the ratings in FILE or in the data set NAME, or with a --study.

    FILE may also be a folder of scored shards, or a table with a document, a system, ratings and scores in each row;
    the scores are read unchanged, and tables of texts are left out.

    Prints agreement with intervals, tests of every two metrics, correlations at three levels, systems; for a study also
    the agreement between annotators and the ranking of systems. Without ratings, all tables that need no people are
    printed. Missing scores of a data set are computed and stored; for a study, the stored scores are used.
    """
    name = file if study_name is None else study_name
    if name is None or (file is not None and study_name is not None):
        raise click.UsageError("name a FILE, a data set or a --study, and only one of them")
    if options.adjudicated and study_name is None:
        raise click.UsageError("--adjudicated goes with a --study")
    if options.by_annotator and study_name is not None:
        raise click.UsageError("--by-annotator goes with ratings: the judgments of a study are by annotator anyway")
    settings = options.settings(human)
    request = TableRequest.read(wanted)
    failures = Failures()
    if options.clean and (study_name is not None or not Path(name).is_file()):
        refuse_clean(name)
    if study_name is not None:  # what is not analysed is not imported
        from relevance.cli.analyze.study import describe_study

        report = describe_study(name, chosen, request, settings, options)
    elif Path(name).is_dir() and is_sharded(Path(name)):
        from relevance.cli.analyze.shards import describe_shards

        report = describe_shards(Path(name), chosen["names"], request, settings, options)
    elif format is None and Path(name).is_file() and is_scored_table(Path(name)):
        from relevance.cli.analyze.cells import describe_table

        report = describe_table(Path(name), chosen["names"], request, settings, options)
    else:
        from relevance.cli.analyze.scores import describe_scores

        report = describe_scores(name, format, chosen, request, settings, options, failures)
    report = report.only(request.names) if request.names else report
    shown = report.labelled() if table_format == "latex" else report
    print_results(table_format, shown.tables, shown.facts, shown.gaps, values=lambda: report_as_json(report))
    check_failures(failures)
