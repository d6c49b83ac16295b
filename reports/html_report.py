"""A study's report: one HTML file that needs nothing else, and the files behind it."""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import altair as alt

from analysis.study import DEFAULTS, Settings, StudyAnalysis
from annotation.demo import MADE_UP
from annotation.results import export_judgments, export_scores
from annotation.store import AnnotationStore
from annotation.study_data import StudyData, read_study
from data.export import export
from data.files import write_whole
from data.one_line import in_one_line
from data.store import DataStore
from reports import charts, formats
from reports.contents import Contents, contents_as_json
from reports.escaping import esc, format_count
from reports.study import make_study_contents
from reports.tables.correlation import drawn_over, tests_of
from reports.tables.people import ALPHA

NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML may hold: at one of them what draws charts ends the whole process."""


STYLE = """
:root { color-scheme: light dark; --line: light-dark(#d1d5db, #4b5563); --soft: light-dark(#f3f4f6, #1f2937); }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 72rem; padding: 1rem;
  color: light-dark(#111827, #e5e7eb); background: light-dark(#fff, #111827); overflow-wrap: anywhere; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.25rem; margin-top: 2.5rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--line); text-align: left; white-space: nowrap; }
td.number, td.number + th { text-align: right; } thead th { border-bottom: 2px solid var(--line); }
th:first-child, td:first-child { white-space: normal; min-width: 8rem; max-width: 20rem; }
.note { font-size: .85rem; margin: .4rem 0; }
dl { display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .2rem 1rem; }
dt { font-weight: 600; } dd { margin: 0; } nav { font-size: .9rem; }
figure { margin: 1rem 0; background: #fff; padding: .5rem; border: 1px solid var(--line); }
figure svg { max-width: 100%; height: auto; } figcaption { color: #374151; font-size: .85rem; }
@media print { body { max-width: none; } section { break-inside: avoid-page; } }
"""


def write_report(
    data: DataStore, annotation: AnnotationStore, study: str, folder: Path, settings: Settings = DEFAULTS
) -> list[Path]:
    """Write a study's report into a folder, which is made where it is not there; returns the files.

    `report.html` needs no other file and no network; beside it lie the tables (CSV, LaTeX, JSON), the judgments, the
    scores, and `SHA256SUMS` of them all. Raises `UnknownStudy` and `UnknownSystem` before anything is written, and
    OSError.
    """
    found = read_study(data, annotation, study)
    contents = make_study_contents(found, settings)
    texts = {
        "analysis.json": json.dumps(contents_as_json(contents), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "judgments.jsonl": export(export_judgments(annotation, study), "jsonl"),
        "scores.jsonl": export(export_scores(data, found.dataset.name), "jsonl"),
        "tables.tex": "\n".join(map(formats.as_latex, contents.tables)),
        **{f"{table.name}.csv": formats.as_csv(table) for table in contents.tables},
    }
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    texts["report.html"] = report_html(contents, methods(found, contents.analysis), hashes)
    hashes["report.html"] = hashlib.sha256(texts["report.html"].encode()).hexdigest()
    texts["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / name, [text])
    return [folder / name for name in texts]


def methods(found: StudyData, analysis: StudyAnalysis) -> str:
    """The paragraph that a paper would have: what was asked of whom, and how numbers were made of it."""
    return " ".join([*what_was_asked(found, analysis), *how_it_was_computed(analysis)])


def what_was_asked(found: StudyData, analysis: StudyAnalysis) -> list[str]:
    """Whose judgments of which summaries there are, and which of them count, in sentences."""
    study, dataset, systems = found.study, found.dataset, analysis.settings.systems
    judged = [row for row in found.annotators if row.judged]
    drawn = {
        "rouge_k_differs": "drawn from those whose ROUGE-K scores differ",
        "random": "drawn at random",
        "all": "all there are",
        "conflicts": f"{'; '.join(study.notes)}; a share of {study.random_share} for the others",
    }[study.rule]
    words = [
        f"{len(judged)} annotators were asked “{study.question}” of {study.pairs} pairs of summaries of the same "
        f"document ({drawn}; seed {study.seed}) from the data set {dataset.name} ({dataset.documents} documents; "
        f"systems: {', '.join(study.systems)}), {format_count(study.judgments_per_pair, 'judgment')} wanted per pair; "
        f"sides were counterbalanced per annotator and ties were {'allowed' if study.ties else 'not allowed'}. "
        f"{study.judgments} judgments were made.",
    ]
    if study.name == MADE_UP:
        words.append("A program made them up, to show what reports say: they measure nothing.")
    if study.checks:
        words.append(f"{study.checks} attention checks (a summary of another document) are left out of all figures.")
    if analysis.weighed:
        words.append(
            "In agreement figures and the ranking of systems, pairs are weighed by one over the probability with which "
            "they were drawn: ratios estimate those of all pairs of these systems that could have been drawn (Hajek's "
            "estimator). Other figures describe the pairs that were drawn."
        )
    if systems and systems != study.systems:
        words.append(
            f"All tables are restricted to the systems {', '.join(systems)}: {analysis.agreement.n} judgments."
        )
    return words


def how_it_was_computed(analysis: StudyAnalysis) -> list[str]:
    """How the figures are made of judgments and scores, in sentences."""
    words = [
        "A metric agrees with a judgment where it scores the chosen summary higher; differences within 1e-9 are ties, "
        "counted half (rule half), as misses (strict) or left out (decided). Pairwise accuracy with ties (acc_eq) uses "
        "a tie threshold fitted on other documents (Deutsch et al. 2023).",
    ]
    if analysis.agreement.rows:
        found = analysis.agreement.rows[0].evaluation
        words.append(
            f"{found.intervals.half.level:.0%} intervals of agreement are Clopper and Pearson's for an effective "
            f"number of pairs, from how far {found.over} differ (Korn and Graubard 1998), and so are those of alpha, "
            "Fleiss' kappa and raw agreement between annotators, from documents; those of correlations are percentile "
            f"bootstrap intervals over {drawn_over(analysis.settings.resample)}, those of the ranking over documents."
        )
    words += [
        "Metrics are compared on the same pairs by a sign-flip test over documents (exact McNemar test where every "
        "document gives one pair and no tie earns half), with Holm's correction. Where several annotators judged, p is "
        "the larger one of this test and a t test on the variance of documents and annotators.",
        "Correlations are Pearson's r, Spearman's rho and Kendall's tau-b over all summaries, averaged within "
        "documents, and over the systems' means; metrics are compared by permutation tests (Deutsch et al. "
        f"2021): {tests_of(analysis.settings.permute)}, with Holm's correction over the comparisons of a level.",
        f"Differences are called significant where p is below {ALPHA:g} after the correction.",
        "Agreement between annotators is Krippendorff's alpha (nominal), Fleiss' kappa and Cohen's kappa; systems are "
        "ranked by a penalised Bradley-Terry model.",
    ]
    return words


def report_html(contents: Contents, methods: str, hashes: dict[str, str]) -> str:
    """The whole page, every text escaped, charts as drawings within it."""
    drawings = dict(charts_of(contents))
    parts = []
    for table in contents.tables:
        parts.append(formats.as_html(table))
        if table.name in drawings:
            parts.append(drawings[table.name])
    facts = "".join(f"<dt>{esc(name)}</dt><dd>{esc(text)}</dd>" for name, text in contents.facts.items())
    ways = " · ".join(f'<a href="#{esc(table.name)}">{esc(table.title)}</a>' for table in contents.tables)
    signatures = "".join(f"<li><code>{esc(signature)}</code></li>" for signature in contents.gaps)
    files = "".join(f"<li>{esc(name)}: <code>{digest}</code></li>" for name, digest in sorted(hashes.items()))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{esc(contents.heading)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{esc(contents.heading)}</h1><nav>{ways}</nav>"
        f"<section id='methods'><h2>Methods</h2><p>{esc(methods)}</p><dl>{facts}</dl></section>"
        f"{''.join(parts)}"
        f"<section id='signatures'><h2>Signatures of the metrics</h2><ul>{signatures}</ul></section>"
        f"<section id='files'><h2>Files behind this report (SHA-256)</h2><ul>{files}</ul></section>"
        "</body></html>\n"
    )


def charts_of(contents: Contents) -> Iterable[tuple[str, str]]:
    """The charts of a study, by the table that they belong to, as figures of HTML."""
    analysis = contents.analysis
    agreement = analysis.agreement
    if any(row.evaluation.agreement.pairs for row in agreement.rows):
        people = analysis.ceiling.agreement.half if analysis.ceiling else None
        yield "agreement", figure(charts.agreement_chart(agreement.rows, "half", people), "Agreement by the rule half")
        if any(found.difference is not None for found in agreement.comparisons):
            yield (
                "comparisons",
                figure(charts.comparison_chart(agreement), "Row minus column; *: p below .05 after Holm's correction"),
            )
        if any(row.evaluation.bins for row in agreement.rows):
            chart = charts.difference_chart(agreement.rows)
            yield "by_difference", figure(chart, "Agreement by the scores' difference")
    human, matrix = (
        [row for row in analysis.correlations[table] if row.method == "pearson"] for table in ("human", "matrix")
    )
    if any(row.levels.global_.r is not None for row in human):
        yield "human", figure(charts.correlation_chart(human, "global", human[0].first), "Pearson's r, all summaries")
    if any(row.levels.global_.r is not None for row in matrix):
        yield "matrix", figure(charts.correlation_heatmap(matrix, "global"), "Pearson's r, all summaries")
    ranking = analysis.reliability.ranking
    if any(row.strength is not None for row in ranking.rows):
        yield "ranking", figure(charts.ranking_chart(ranking), "Strengths with intervals")


def figure(chart: Any, caption: str) -> str:
    """A chart as a drawing that needs no script."""
    drawn = io.StringIO()
    alt.Chart.from_dict(drawable(chart.properties(width=620).to_dict())).save(drawn, format="svg")
    return f"<figure>{drawn.getvalue()}<figcaption>{esc(caption)}</figcaption></figure>"


def drawable(spec: Any) -> Any:
    """A chart's specification with every text in it in one line, and without what a drawing cannot hold."""
    if isinstance(spec, str):
        return NOT_XML.sub("\ufffd", in_one_line(spec))
    if isinstance(spec, dict):
        return {name: drawable(value) for name, value in spec.items()}
    return [drawable(value) for value in spec] if isinstance(spec, list) else spec
