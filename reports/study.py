"""Everything that is said of a study, a data set or a file: tables and charts in the order of reading."""

from __future__ import annotations

import platform
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from analysis.agreement import Agreement, Rule
from analysis.annotators import AnnotatorReliability, others_majority, summarize_annotators
from analysis.coefficients import METHODS, Method
from analysis.cohen_kappa import Kappa, cohen_kappas
from analysis.correlation import Levels
from analysis.correlation_intervals import Resample
from analysis.correlation_tests import Permute
from analysis.evaluation import MetricEvaluation
from analysis.metrics_and_people import (
    LEVELS,
    AgreementAnalysis,
    CorrelationRow,
    analyze_agreement,
    analyze_systems,
    compare_correlations,
    correlate_columns,
    correlation_tables,
    human_ceiling,
    part_from_rouge_k,
)
from analysis.ranking import Ranking, bradley_terry
from analysis.reliability import Estimate, FleissKappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from analysis.significance import SideShare, position_check
from annotation.results import load_judgments, shares_won
from annotation.store import AnnotationStore
from data.cells import Cells
from data.preferences import Preferences, rated_pairs
from data.store import DataStore
from metrics.dataset_statistics import keyword_statistics, length_statistics
from metrics.keywords.recall import Records, by_length, by_source, search_keywords
from metrics.rouge_k import RougeK
from metrics.scoring import MissingCounts, NoRatings
from reports import formats
from reports.tables.agreement import (
    agreement_table,
    comparison_table,
    difference_table,
    no_ratio,
    note_drawn_pairs,
    position_table,
    sampling_notes,
)
from reports.tables.correlation import (
    correlation_table,
    correlation_test_table,
    discrepancy_table,
    note_drawn_pairs_of_people,
    spread_table,
    system_table,
    wilcoxon_table,
)
from reports.tables.keywords import (
    by_length_table,
    by_source_table,
    keyword_statistics_table,
    length_statistics_table,
)
from reports.tables.people import annotators_table, cohen_table, ranking_table, reliability_table
from reports.tables.table import Table


def agreement_as_json(agreement: Agreement) -> dict[str, Any]:
    """Counts and ratios of one agreement."""
    return {
        "pairs": agreement.pairs,
        "human_ties": agreement.human_ties,
        "concordant": agreement.concordant,
        "discordant": agreement.discordant,
        "tied": agreement.tied,
        "strict": agreement.strict,
        "half": agreement.half,
        "decided": agreement.decided,
        "coverage": agreement.coverage,
    }


def levels_as_json(levels: Levels) -> dict[str, float | None]:
    """One coefficient at the three levels."""
    return {"global": levels.global_.r, "input": levels.input.r, "system": levels.system.r}


USUAL = "relevance"
"""The rating that metrics are held against where none is named."""


WON = "judgments won"
"""The rating that a study's judgments give a summary: the share of them that it won, a tie counting half."""


OF_PEOPLE = ("agreement", "comparisons", "by_difference", "human", "correlation_tests")
"""The tables of a file or data set that need ratings."""


LEFT_OUT = "left out"
"""The fact that names them where there are no ratings."""


PACKAGES = ("relevance", "numpy", "scipy", "pandas", "sqlalchemy")


class UnknownSystem(ValueError):
    """There are no summaries of a system that was named."""


class Reliability(NamedTuple):
    """How far a study's annotators agree, and how they rank the systems."""

    alpha: Estimate
    fleiss: FleissKappa
    raw: Estimate
    kappas: Sequence[Kappa]
    annotators: Sequence[AnnotatorReliability]
    sides: Sequence[SideShare]
    ranking: Ranking


@dataclass(frozen=True)
class Contents:
    """What is known, as tables under their names, with the objects that charts are drawn from."""

    heading: str
    human_name: str
    """The ratings that metrics are correlated with; empty where none are."""
    facts: Mapping[str, str]
    """What it rests on: names, counts, hashes, versions, seeds."""
    gaps: Mapping[str, MissingCounts]
    """By signature: scores that are missing, and those of cut texts."""
    tables: tuple[Table, ...]
    agreement: AgreementAnalysis | None = None
    ceiling: MetricEvaluation | None = None
    human: tuple[CorrelationRow, ...] = ()
    matrix: tuple[CorrelationRow, ...] = ()
    ranking: Ranking | None = None


def versions() -> str:
    """Of Python and of what the numbers are computed with."""
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in PACKAGES)])


# --- the parts --------------------------------------------------------------------------------------------


def reliability_of(
    preferences: Preferences, checks: Mapping[str, tuple[int, int]] | None = None, *, seed: int = 0
) -> Reliability:
    """Agreement between the annotators of a study; `checks` are attention checks passed and asked, by annotator."""
    pairs, choices, annotators = preferences.pair, preferences.choices, preferences.annotators
    documents = preferences.document
    return Reliability(
        alpha=krippendorff_alpha(pairs, choices, documents),
        fleiss=fleiss_kappa(pairs, choices, documents),
        raw=raw_agreement(pairs, choices, documents),
        kappas=cohen_kappas(pairs, annotators, choices, documents),
        annotators=summarize_annotators(pairs, annotators, choices, preferences.left, preferences.took, checks or {}),
        sides=position_check(preferences.left, annotators),
        ranking=bradley_terry(
            preferences.first,
            preferences.second,
            choices,
            documents,
            weights=preferences.weights,
            seed=seed,
        ),
    )


def ceiling_of(preferences: Preferences, *, seed: int = 0) -> MetricEvaluation:
    """People among themselves; it counts no pair where none was judged by two annotators."""
    others = others_majority(preferences.pair, preferences.annotators, preferences.choices)
    return human_ceiling(preferences, others, seed=seed)


def reliability_tables(found: Reliability, *, weighed: bool) -> list[Table]:
    """The tables of the Reliability page; `weighed` says whether pairs were drawn with unequal probability."""
    tables = [
        reliability_table(found.alpha, found.fleiss, found.raw),
        cohen_table(found.kappas),
        annotators_table(found.annotators),
        position_table(found.sides),
    ]
    if weighed:
        tables = [note_drawn_pairs(table) for table in tables]
    return [*tables, ranking_table(found.ranking)]


def correlations_of(
    cells: Cells,
    human: str | None,
    *,
    methods: Sequence[Method] = METHODS,
    baselines: Sequence[str] = (),
    resample: Resample | None = None,
    permute: Permute | None = None,
    seed: int = 0,
) -> tuple[list[Table], list[CorrelationRow], list[CorrelationRow]]:
    """The four tables of the papers, the tests beside them, and the systems; with the rows of the first and the last.

    `human` names the ratings to correlate metrics with; without it, the tables that need people are left out.
    `baselines` are the systems that others are to beat. `resample` and `permute` say what intervals draw and tests
    swap, None that they do by level. Raises `UnknownSystem` for other baselines.
    """
    check_systems(baselines, cells.systems, "--baselines")
    laid = correlation_tables(cells, human)
    asked = dict.fromkeys([*laid.human, *laid.matrix])
    asked |= dict.fromkeys(pair for pair in laid.rouge_k if pair not in asked and pair[::-1] not in asked)
    of_pair: dict[frozenset[str], list[CorrelationRow]] = {}  # a pair is in several tables, and computed once
    for row in correlate_columns(cells, laid.columns, list(asked), methods=methods, resample=resample, seed=seed):
        of_pair.setdefault(frozenset((row.first, row.second)), []).append(row)

    def rows(pairs: Sequence[tuple[str, str]]) -> list[CorrelationRow]:
        return [row._replace(first=pair[0], second=pair[1]) for pair in pairs for row in of_pair[frozenset(pair)]]

    with_people, matrix, people = rows(laid.human), rows(laid.matrix), f"human: {human}"
    compared = {name: laid.columns[name] for name in (*laid.metrics, people)} if laid.human else {}
    tests = compare_correlations(cells, compared, people, permute=permute, seed=seed) if compared else []
    systems = analyze_systems(cells, {name: laid.columns[name] for name in laid.metrics} | compared, baselines)
    found = [
        correlation_table("human", f"Metrics with people ({human})", with_people, resample),
        correlation_table("length", "Metrics with length", rows(laid.length), resample),
        correlation_table("rouge_k", "Metrics with ROUGE-K", rows(laid.rouge_k), resample),
        correlation_table("matrix", "Metrics with each other", matrix, resample),
        discrepancy_table(part_from_rouge_k(cells, laid)),
        correlation_test_table(tests, people),
        spread_table(systems),
        system_table(systems),
        wilcoxon_table(systems),
    ]
    return [table for table in found if human is not None or table.name not in OF_PEOPLE], with_people, matrix


def check_systems(asked: Iterable[str], known: Iterable[str], option: str) -> None:
    """Refuse systems that there are not. Raises `UnknownSystem`."""
    known = sorted(set(known))
    if unknown := [system for system in asked if system not in known]:
        raise UnknownSystem(
            f"{option}: there is no system {', '.join(unknown)}; there are {', '.join(known) or 'none'}"
        )


def with_judgments(cells: Cells, preferences: Preferences) -> Cells:
    """The cells with one more rating: the share of its judgments that a summary won."""
    won = shares_won(preferences)
    shares = [won.get(cell, np.nan) for cell in zip(cells.documents, cells.systems, strict=True)]
    return replace(cells, ratings={**cells.ratings, WON: np.array(shares, dtype=np.float64)})


# --- the whole --------------------------------------------------------------------------------------------


def make_study_contents(
    data: DataStore,
    annotation: AnnotationStore,
    name: str,
    *,
    human: str | None = None,
    methods: Sequence[Method] = METHODS,
    rule: Rule = "half",
    systems: Sequence[str] = (),
    baselines: Sequence[str] = (),
    resample: Resample | None = None,
    permute: Permute | None = None,
    seed: int = 0,
) -> Contents:
    """Everything about a study's judgments and its data set's scores.

    `human` names a rating of the data set to correlate metrics with, in place of the judgments won. `systems` are those
    that all tables are restricted to, `baselines` those that others are to beat. Raises `UnknownStudy`, `NoRatings`,
    `UnknownSystem`.
    """
    study = annotation.study(name)
    dataset = data.dataset(study.dataset)
    if human not in (None, WON, *dataset.aspects):
        raise NoRatings(
            f"there are no human ratings of {human!r}; there are {', '.join(dataset.aspects) or 'none at all'}"
        )
    check_systems(systems, dataset.systems, "--systems")
    preferences, cells = load_judgments(annotation, name), data.cells(study.dataset).in_order()
    if systems:
        preferences, cells = preferences.of_systems(systems), cells.of_systems(systems)
    signatures = data.signatures(study.dataset)
    truncated = {entry.signature: entry.truncated for entry in signatures}
    analysis = analyze_agreement(preferences, rule=rule, seed=seed)
    majority = analyze_agreement(preferences.by_majority(), seed=seed)
    ceiling = ceiling_of(preferences, seed=seed)
    checks = {row.annotator: (row.checks_passed, row.checks) for row in annotation.annotators(name)}
    reliability = reliability_of(preferences, checks, seed=seed)
    cells = with_judgments(cells, preferences)
    correlations, with_people, matrix = correlations_of(
        cells, human or WON, methods=methods, baselines=baselines, resample=resample, permute=permute, seed=seed
    )
    if analysis.weighed and (human or WON) == WON:
        correlations = [note_not_weighed(table) for table in correlations]
    sampling = sampling_notes(study.rule)
    by_judgment = agreement_table(analysis, "judgment", truncated, ceiling, notes=sampling)
    by_majority = agreement_table(majority, "pair by majority", truncated, notes=sampling)
    return Contents(
        heading=f"Study {name}",
        human_name=human or WON,
        facts={
            "study": name,
            "question": study.question,
            "data set": dataset.name,
            "SHA-256 of its file": dataset.sha256,
            "documents": str(dataset.documents),
            "systems": ", ".join(systems or study.systems),
            "pairs": "; ".join((f"{study.pairs}, rule {study.rule}, seed {study.seed}", *study.notes)),
            **(
                {"compared by": ", ".join(study.signatures), "random share": str(study.random_share)}
                if study.signatures
                else {}
            ),
            "judgments": f"{len(preferences)} by {len(set(preferences.annotators))} annotators",
            "seed": str(seed),
            "versions": versions(),
        },
        gaps={
            signature: MissingCounts(int(np.isnan(values).sum()), truncated.get(signature, 0))
            for signature, values in cells.scores.items()
        },
        tables=(
            by_judgment,
            by_majority._replace(name="agreement_by_majority"),
            comparison_table(analysis),
            difference_table(analysis),
            *reliability_tables(reliability, weighed=analysis.weighed),
            *correlations,
        ),
        agreement=analysis,
        ceiling=ceiling,
        human=tuple(with_people),
        matrix=tuple(matrix),
        ranking=reliability.ranking,
    )


def note_not_weighed(table: Table) -> Table:
    """A table of a study whose pairs were drawn with unequal probability, saying what of it is not weighed."""
    if table.name in {"human", "correlation_tests"}:
        return note_drawn_pairs(table)
    if table.name in {"distinguishability", "systems", "wilcoxon"}:
        return note_drawn_pairs_of_people(table, f"human: {WON}")
    return table  # of all summaries, without people


def make_cell_contents(
    cells: Cells,
    human: str | None,
    facts: Mapping[str, str],
    *,
    gaps: Mapping[str, MissingCounts],
    methods: Sequence[Method] = METHODS,
    rule: Rule = "half",
    baselines: Sequence[str] = (),
    resample: Resample | None = None,
    permute: Permute | None = None,
    seed: int = 0,
) -> Contents:
    """Everything about the scores of a file or data set, and about its ratings `human`.

    Without these, what needs people is left out, which the facts say. Raises `UnknownSystem` for other `baselines`.
    """
    correlations, with_people, matrix = correlations_of(
        cells, human, methods=methods, baselines=baselines, resample=resample, permute=permute, seed=seed
    )
    more = {"seed": str(seed), "versions": versions()}
    if human is None:
        others = f"; --human takes {' or '.join(cells.ratings)}" if cells.ratings else ""
        left_out = f"{', '.join(OF_PEOPLE)}: there are no human ratings of {USUAL!r}{others}"
        return Contents("Metrics", "", {**facts, LEFT_OUT: left_out, **more}, gaps, tuple(correlations))
    analysis = analyze_agreement(rated_pairs(cells, human), rule=rule, seed=seed)
    return Contents(
        heading=f"Metrics against human ratings of {human}",
        human_name=human,
        facts={**facts, **more},
        gaps=gaps,
        tables=(
            agreement_table(
                analysis, "within-document pair", {signature: gap.truncated for signature, gap in gaps.items()}
            ),
            comparison_table(analysis),
            difference_table(analysis),
            *correlations,
        ),
        agreement=analysis,
        human=tuple(with_people),
        matrix=tuple(matrix),
    )


# --- texts --------------------------------------------------------------------------------------------------

OF_TEXTS = {
    "keywords": ("keywords_by_source", "keywords_by_length"),
    "dataset": ("dataset_keywords", "dataset_lengths"),
}
"""The tables of `make_text_contents`, made only where they are asked for, by the name that asks for several."""


KEYWORDS_BY = "keywords by"
"""The fact that names the signature of their ROUGE-K."""


def make_text_contents(
    records: Records, metric: RougeK, asked: Collection[str], facts: Mapping[str, str], systems: Sequence[str] = ()
) -> Contents:
    """The tables of `OF_TEXTS` that are asked for; scores, judgments and ratings play no part.

    `records` have all summaries of each document; the tables of keywords are those of `systems`, where they are named.
    Raises `UnknownSystem`, and ValueError where `metric` looks for some of the keywords only.
    """
    records = list(records)
    check_systems(systems, (summary.system for _, summaries in records for summary in summaries), "--systems")
    tables: list[Table] = []
    more = {}
    if not {*asked}.isdisjoint(OF_TEXTS["keywords"]):
        found = search_keywords(records, metric, systems or None)
        tables += [by_source_table(by_source(found)), by_length_table(by_length(found))]
        more = {"systems": ", ".join(dict.fromkeys(summary.system for summary in found)), KEYWORDS_BY: metric.signature}
    if not {*asked}.isdisjoint(OF_TEXTS["dataset"]):
        counted = keyword_statistics((document for document, _ in records), metric.title)
        tables += [
            keyword_statistics_table(counted),
            length_statistics_table(length_statistics(records, systems or None)),
        ]
    return Contents(
        heading="Texts",
        human_name="",
        facts={**facts, "documents": str(len(records)), **more, "versions": versions()},
        gaps={},
        tables=tuple(table for table in tables if table.name in asked),
    )


def with_texts(contents: Contents, texts: Contents) -> Contents:
    """The contents with the tables of `make_text_contents` after their own."""
    facts = {**contents.facts, **texts.facts, **contents.facts}  # in the order of the first, with its values
    return replace(contents, tables=(*contents.tables, *texts.tables), facts=facts)


def contents_as_json(contents: Contents) -> dict[str, Any]:
    """All tables by name, with what they rest on; `metrics` has the headline figures by metric.

    What is undefined is null, with the reasons under `undefined`.
    """
    metrics: dict[str, Any] = {}
    for row in contents.agreement.rows if contents.agreement else ():
        metrics[row.metric] = {
            "signature": row.signature,
            **contents.gaps[row.signature]._asdict(),
            "agreement": agreement_as_json(row.evaluation.agreement),
        }
    for row in contents.human:
        if row.second in metrics:
            metrics[row.second][row.method] = levels_as_json(row.levels)
    for name, figures in metrics.items():
        reasons = undefined_figures(contents, name)
        if reasons:
            figures[formats.UNDEFINED] = reasons
    return {
        "human": contents.human_name or None,
        "facts": dict(contents.facts),
        "metrics": metrics,
        "tables": {table.name: formats.as_json(table) for table in contents.tables},
    }


def undefined_figures(contents: Contents, metric: str) -> dict[str, str]:
    """Why headline figures of a metric are undefined, by their names."""
    found = {}
    for row in contents.agreement.rows if contents.agreement else ():
        counts = row.evaluation.agreement
        if row.metric == metric and counts.decided is None:
            found["agreement"] = no_ratio(counts)
    for row in contents.human:
        for level, figure in zip(LEVELS, row.levels, strict=True):
            if row.second == metric and figure.r is None:
                found[f"{row.method} {level}"] = figure.reason or "undefined"
    return found
