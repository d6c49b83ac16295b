"""Hold metrics against people and against each other: tables, reports and plans."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from cli.given import with_given
from cli.metric_options import MetricCommand, chosen_metrics, refuse_metric_options, with_metrics
from cli.score import score_missing
from cli.shared import (
    COUNT,
    SEED,
    Refused,
    check_failures,
    check_output,
    gathered,
    input_format_option,
    is_file,
    open_stores,
    print_sections,
    read_records,
    report_refusals,
    split_names,
    store_with,
    table_format_option,
    tell,
)

if TYPE_CHECKING:
    from analysis.agreement.counts import Rule
    from analysis.correlation.coefficients import Method
    from analysis.correlation.permuted import Permute
    from analysis.correlation.resampled import Resample
    from analysis.study import Settings
    from cli.shared import Records
    from data.cells import Cells
    from metrics.base import Metric
    from metrics.scoring import Failures, MissingCounts
    from reports.contents import Contents


@dataclass(frozen=True)
class AnalysisOptions:
    """The options that say how metrics are held against people and each other."""

    systems: str
    baselines: str | None
    rule: Rule
    coefficients: str
    resample: Resample | None
    permute: Permute | None
    seed: int
    published: str | None
    adjudicated: bool

    def settings(self, human: str | None) -> Settings:
        """What an analysis is asked for, with the rating to hold metrics against; `choose_baselines` adds to it."""
        from analysis.correlation.coefficients import METHODS
        from analysis.study import Settings

        asked = dict.fromkeys(split_names(self.coefficients))
        if not asked or not {*asked} <= {*METHODS}:
            raise click.UsageError(f"--coefficients must be among {', '.join(METHODS)}, not {self.coefficients!r}")
        return Settings(
            human=human,
            methods=tuple(cast("Method", name) for name in asked),
            rule=self.rule,
            systems=tuple(split_names(self.systems)),
            resample=self.resample,
            permute=self.permute,
            seed=self.seed,
        )


OF_SYSTEMS = {"distinguishability", "systems", "systems_published", "wilcoxon"}
"""The tables of systems, beside whose scores other figures stand."""


def choose_baselines(asked: str | None, systems: Iterable[str]) -> tuple[str, ...]:
    """The baselines that are asked for; where nothing is said, the systems that are called like a baseline."""
    from data.sorting import natural_order
    from summarizers.registry import baselines_among

    return baselines_among(sorted(set(systems), key=natural_order)) if asked is None else tuple(split_names(asked))


systems_option = click.option(
    "--systems", "systems", default="", help="Systems that the tables are restricted to, separated by commas."
)

baselines_option = click.option(
    "--baselines",
    help="Systems, separated by commas: a dagger in the table of systems marks who beats all of them.  [default: those "
    'called like a baseline of relevance summarize, such as lead-1; "" is none]',
)

resample_option = click.option(
    "--resample",
    type=click.Choice(["documents", "systems", "both"]),
    help="What intervals of correlations draw anew, and so hold for.  [default: documents; both at the system level]",
)

permute_option = click.option(
    "--permute",
    type=click.Choice(["documents", "systems", "both", "cells"]),
    help="What swaps between two metrics in tests of their correlations: documents (Perm-Inputs) or systems "
    "(Perm-Systems) or both, for which the test then holds, or cells, each summary by itself (PERM-BOTH), which takes "
    "all as fixed.  [default: both at the global, documents at the input, systems at the system level]",
)


@click.command(cls=MetricCommand)
@click.argument("file", required=False, metavar="FILE|NAME")
@click.option("--study", "study_name", help="Analyse the judgments of this study instead of ratings.")
@click.option(
    "--adjudicated", is_flag=True, help="Of a --study: what adjudicators decided in the place of the judgments."
)
@click.option("--human", help="Human rating to hold metrics against: relevance, or for a study the judgments won.")
@with_metrics
@click.option("--seed", type=SEED, default=0, show_default=True, help="Seed of bootstrap, flips and permutations.")
@click.option(
    "--tables",
    "wanted",
    help="Tables to print, separated by commas, such as agreement,comparisons,human,matrix; all if left out, but for "
    "keywords: ROUGE-K of the systems by keywords in and not in the source, and by their length; and dataset: how many "
    "keywords there are and how long texts are. marked: of a study, words that annotators marked against keywords.",
)
@systems_option
@baselines_option
@click.option(
    "--rule",
    type=click.Choice(["half", "strict", "decided"]),
    default="half",
    show_default=True,
    help="By which two metrics are compared: a metric's tie earns half, nothing, or is left out.",
)
@click.option("--coefficients", default="pearson,spearman,kendall", show_default=True, help="Of the correlations.")
@resample_option
@permute_option
@click.option(
    "--published",
    type=click.Choice(["scitldr", "xsum", "scisummnet", "none"]),
    help="The data set whose published figures stand beside the table of systems.  [default: the one whose documents "
    "these are]",
)
@table_format_option
@input_format_option
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
    """Hold metrics against people and each other: by the ratings in FILE or in the data set NAME, or by a --study.

    FILE may be a folder of scored shards, too; its scores are read as they are, and tables of texts left out.

    Agreement with intervals, tests of every two metrics, correlations at three levels, systems; of a study also the
    agreement between annotators and the ranking of systems. Without ratings, there are all tables that need no people.
    Scores of a data set that are missing are computed and stored; a study's scores are those that are stored.
    """
    from annotation.study_data import read_study, without_names
    from cli.analyze_shards import print_shards
    from data.shards import is_sharded
    from metrics.scoring import Failures
    from reports.beside_systems import with_beside
    from reports.study import make_study_contents, with_letters
    from reports.texts import OF_MARKS, OF_TEXTS, with_marked_words, with_texts

    name = file if study_name is None else study_name
    if name is None or (file is not None and study_name is not None):
        raise click.UsageError("name a FILE, a data set or a --study, and only one of them")
    if options.adjudicated and study_name is None:
        raise click.UsageError("--adjudicated goes with a --study")
    settings = options.settings(human)
    if wanted is not None and not split_names(wanted):
        raise click.UsageError("--tables names no table")
    if study_name is None and is_sharded(Path(name)):
        print_shards(Path(name), settings, options, chosen["names"], wanted, table_format)
        return
    failures = Failures()
    asked = [table for name in split_names(wanted or "") for table in {**OF_TEXTS, **OF_MARKS}.get(name, (name,))]
    of_texts = {*asked} & {table for tables in OF_TEXTS.values() for table in tables}
    of_study = study_name is not None
    beside = not asked or not OF_SYSTEMS.isdisjoint(asked)
    records, facts = texts_of(name, format, of_study=of_study) if of_texts or beside or not of_study else ([], {})
    texts = text_contents(records, facts, chosen, of_texts, settings.systems, study_name) if of_texts else None
    if texts is not None and {*asked} <= of_texts:
        found = texts
    elif study_name is not None:
        refuse_metric_options()
        study = without_names(read_study(*open_stores(), study_name, adjudicated=options.adjudicated))
        baselines = choose_baselines(options.baselines, settings.systems or study.study.systems)
        found = make_study_contents(study, replace(settings, baselines=baselines))
        found = with_letters(found, open_stores()[0], study.dataset.name)
    else:
        systems = settings.systems or [summary.system for _, summaries in records for summary in summaries]
        baselines = choose_baselines(options.baselines, systems)
        settings = replace(settings, human=choose_rating(records, human, asked), baselines=baselines)
        found = contents_of_scores(name, records, facts, settings, chosen, failures)
    if beside and found is not texts:
        dataset = facts.get("data set")
        found = with_beside(found, records, open_stores()[0] if dataset else None, dataset, options.published)
    if study_name is not None and found is not texts:
        found = with_marked_words(found, *open_stores(), study_name, asked)
    check_tables(asked, [*found.names, *(name for names in OF_TEXTS.values() for name in names)])
    if texts is not None and texts is not found:
        found = with_texts(found, texts)
    print_contents(found if wanted is None else found.only(asked), table_format)
    check_failures(failures)


def texts_of(name: str, format: str | None, *, of_study: bool) -> tuple[Records, dict[str, str]]:
    """The documents of a file, a data set or a study with all their summaries, and what they are called."""
    from data.files import sha256

    if of_study:
        data_store, annotation_store = open_stores()
        dataset = annotation_store.study(name).dataset
        return data_store.records(dataset), {"study": name, "data set": dataset}
    if is_file(name, format):
        return read_records(Path(name), format), {"file": Path(name).name, "SHA-256": sha256(Path(name))}
    store = store_with(name)
    return store.records(name), {"data set": name, "SHA-256 of its file": store.dataset(name).sha256}


def text_contents(
    records: Records,
    facts: dict[str, str],
    chosen: dict[str, Any],
    asked: Collection[str],
    only: Sequence[str],
    study: str | None,
) -> Contents:
    """The tables of texts that are asked for; those of a study are of its systems, where no others are named."""
    from metrics.rouge_k import RougeK
    from reports.texts import OF_TEXTS, make_text_contents

    if not {*asked}.isdisjoint(OF_TEXTS["keywords"]):
        if chosen["only"]:
            raise click.UsageError("--only cannot be given with these tables, which tell keywords apart by the source")
        check_summaries(records, facts)
    if study is not None:
        refuse_metric_options(kept=("title", "keywords", "idf"))
        only = only or open_stores()[1].study(study).systems
    chosen_ones = chosen_metrics({**chosen, "names": "rouge_k", "only": None}, lambda: records)
    (metric,) = (one for one in chosen_ones if isinstance(one, RougeK))
    return make_text_contents(records, metric, asked, facts, only)


def check_summaries(records: Records, facts: dict[str, str]) -> None:
    """Refuse documents without any summary."""
    if not any(summaries for _, summaries in records):
        name = facts.get("file")
        way = "use relevance summarize" if name is None else "import it and use relevance summarize"
        raise Refused(f"{name or facts['data set']} has no summaries; {way}, or ask for --tables dataset")


def choose_rating(records: Records, human: str | None, asked: Iterable[str]) -> str | None:
    """The rating that metrics are held against, None where the usual one is not there and nobody asks for it."""
    from metrics.scoring import NoRatings, check_ratings
    from reports.study import USUAL
    from reports.tables.study import OF_PEOPLE

    try:
        check_ratings(records, human or USUAL)
    except NoRatings as error:
        needed = [table for table in asked if table in OF_PEOPLE]
        if human is None and not needed:
            return None
        raise Refused(f"{', '.join(needed)}: {error}" if needed else str(error)) from error
    return human or USUAL


def contents_of_scores(
    name: str,
    records: Records,
    facts: dict[str, str],
    settings: Settings,
    chosen: dict[str, Any],
    failures: Failures,
) -> Contents:
    """Score the summaries of a file or data set and compare the scores with ratings, if there are any."""
    from analysis.study import check_systems
    from data.sorting import natural_order
    from metrics.scoring import score_cells, with_length
    from metrics.unseen import warnings_of
    from reports.study import make_cell_contents

    check_summaries(records, facts)
    metrics = with_length(chosen_metrics(chosen, lambda: records))
    twins = by_mean_too(records, metrics, chosen)
    only = settings.systems
    systems = [summary.system for _, summaries in records for summary in summaries]
    check_systems(only, systems, "--systems")
    check_systems(settings.baselines, only or systems, "--baselines")
    if is_file(name, None):
        cells, gaps = score_cells(records, metrics, failures, only or None)
        if twins:
            means, further = score_cells(records, twins, failures, only or None)
            cells, gaps = replace(cells, scores={**cells.scores, **means.scores}), gaps | further
    else:
        cells, gaps = stored_cells(name, [metrics, twins] if twins else [metrics], failures, only or None)
    cells, gaps = with_given(cells, gaps, name, records)
    known = {
        **facts,
        "documents": str(len(records)),
        "summaries": str(len(cells)),
        "systems": ", ".join(sorted(set(cells.systems), key=natural_order)),
    }
    if unseen := warnings_of(records, cells.scores):
        known["letters"] = "; ".join(unseen)
    return make_cell_contents(cells, settings, known, gaps)


def stored_cells(
    name: str, batches: Iterable[Sequence[Metric]], failures: Failures, only: Sequence[str] | None
) -> tuple[Cells, dict[str, MissingCounts]]:
    """The scores of a data set by some metrics; those that are missing are computed and stored.

    Of two metrics of one name each must be in a batch of its own.
    """
    import numpy as np

    from metrics.scoring import MissingCounts

    store = store_with(name)
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
    """The lexical metrics among these by the mean over references, for the table of ROUGE-K; none without need."""
    from data.signatures import references_rule
    from metrics import is_lexical

    signatures = {metric.name: metric.signature for metric in metrics}
    names = [name for name, one in signatures.items() if is_lexical(one) and references_rule(one) == "max"]
    several = any(len(document.references) > 1 for document, _ in records)
    if not (several and names and any(metric.name == "rouge_k" for metric in metrics)):
        return []
    return chosen_metrics({**chosen, "names": ",".join(names), "references": "mean"}, list)


ONLY_WHERE = {"sequential": "the study has no stopping rule", "judges": "no language model has judged"}
"""Tables that not every study has, and why one has not."""


def check_tables(wanted: Iterable[str], known: Collection[str]) -> None:
    """Refuse tables that are unknown, or that there is nothing to make of."""
    unknown = [name for name in wanted if name not in known]
    if unknown:
        named = ", ".join(f"{name} ({ONLY_WHERE[name]})" if name in ONLY_WHERE else name for name in unknown)
        raise click.UsageError(f"there is no table {named}; there are {', '.join(known)}")


def print_contents(contents: Contents, table_format: str) -> None:
    """Print the tables in one of the formats, with what they rest on."""
    from data.one_line import in_one_line
    from reports.contents import contents_as_json
    from reports.formats import as_latex, as_one_csv

    tables = contents.tables
    facts = [f"{name}: {text}" for name, text in contents.facts.items()]
    if table_format == "json":
        click.echo(json.dumps(contents_as_json(contents), indent=2, allow_nan=False))
    elif table_format == "csv":
        click.echo(as_one_csv(tables, [*contents.facts.items(), *(("signature", s) for s in contents.gaps)]), nl=False)
    elif table_format == "latex":
        head = [*facts, *contents.gaps]
        click.echo(
            "\n".join([*(f"% {in_one_line(line)}" for line in head), *map(as_latex, contents.labelled().tables)])
        )
    else:
        print_sections(tables, [*facts, *contents.gaps])


@click.command()
@click.argument("name")
@click.option(
    "-o",
    "--output",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder; it is made if it is not there, files of the same names are replaced.",
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
    from analysis.study import Settings
    from bundles.changes import describe_registration
    from reports.html_report import write_report

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


@dataclass(frozen=True)
class StudyShape:
    """The options that say how a planned study asks its pairs."""

    per_document: float
    icc: float
    judgments: int


@click.command()
@click.option("--ratios", help="Agreement of two metrics to tell apart, such as .61,.72.")
@click.option("--phi", type=float, default=0.0, show_default=True, help="Correlation of the two metrics' being right.")
@click.option("--ratio", type=float, help="An agreement to measure, with --half-width.")
@click.option(
    "--half-width", type=click.FloatRange(1e-6, 0.5), help="Half the width that its interval may have, such as .05."
)
@click.option(
    "--alpha", type=float, default=0.05, show_default=True, help="Level of the test; 1 - alpha of the interval."
)
@click.option("--power", type=float, default=0.8, show_default=True, help="Chance of finding the difference.")
@click.option("--per-document", type=float, default=1, show_default=True, help="Pairs per document.")
@click.option("--icc", type=float, default=0.0, show_default=True, help="Correlation of pairs of one document.")
@click.option("--judgments", type=COUNT, default=1, show_default=True, help="Judgments per pair.")
@report_refusals
@gathered("study", StudyShape)
def plan(
    ratios: str | None,
    phi: float,
    ratio: float | None,
    half_width: float | None,
    alpha: float,
    power: float,
    study: StudyShape,
) -> None:
    """Say how many pairs and judgments a study needs, to tell two metrics apart or to measure one."""
    from analysis.agreement.planning import pairs_for_interval, pairs_to_separate
    from reports.formats import as_text
    from reports.tables import planning as sections

    shape = {"pairs_per_document": study.per_document, "icc": study.icc, "judgments_per_pair": study.judgments}
    if ratios is not None and ratio is None and half_width is None:
        try:
            first, second = map(float, ratios.split(","))
        except ValueError as error:
            raise click.UsageError(f"--ratios must be two numbers such as .61,.72, not {ratios!r}") from error
        found = pairs_to_separate(first, second, phi=phi, alpha=alpha, power=power, **shape)
    elif ratio is not None and half_width is not None and ratios is None:
        found = pairs_for_interval(ratio, half_width, level=1 - alpha, **shape)
    else:
        raise click.UsageError("name --ratios, or --ratio with --half-width")
    click.echo(as_text(sections.plan_table(found)))
