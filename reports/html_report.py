"""A study's report: one HTML file that needs nothing else, and the files behind it."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from relevance.analysis.leaders import find_leaders, find_wanting, without_scarce
from relevance.analysis.study import DEFAULTS, Settings
from relevance.annotation.adjudication import AdjudicationStore, export_adjudications
from relevance.annotation.model_judgments import ModelStore
from relevance.annotation.results import export_judgments, export_scores
from relevance.annotation.store import AnnotationStore
from relevance.annotation.study_data import read_study, without_names
from relevance.data.export import export
from relevance.data.files import write_whole
from relevance.data.store import DataStore
from relevance.reports import agreement_charts, charts, correlation_charts, formats
from relevance.reports.drawings import draw_svg
from relevance.reports.escaping import esc
from relevance.reports.findings import TOO_LITTLE, write_details, write_headline, write_wanting
from relevance.reports.methods import sources, study_methods
from relevance.reports.report import Report, report_as_json
from relevance.reports.report.study import make_study_report, with_warnings
from relevance.reports.report.system_figures import add_system_figures
from relevance.reports.report.texts import with_marked_words
from relevance.reports.stopping import describe_stopping
from relevance.reports.stopping_charts import difference_chart, wealth_chart
from relevance.reports.tables.agreement import sampling_notes, short_agreement_table
from relevance.reports.tables.table import Table

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
    data: DataStore,
    annotation: AnnotationStore,
    study: str,
    folder: Path,
    settings: Settings = DEFAULTS,
    facts: Mapping[str, str] | None = None,
) -> list[Path]:
    """Write a study's report into a folder, which is made if needed; return the files.

    `report.html` needs no other file and no network; beside it lie the tables (CSV, LaTeX, JSON), the judgments, what
    adjudicators decided and language models said where there are any, the scores, and `SHA256SUMS` of them all.
    Annotators are called P1, P2 and so on. Raises `UnknownStudy` and `UnknownSystem` before anything is written, and
    OSError.
    """
    study_data = without_names(read_study(data, annotation, study))
    engine, actor = annotation.engine, annotation.actor
    besides = {
        "adjudications.jsonl": export_adjudications(AdjudicationStore(engine, actor), study),
        "model_judgments.jsonl": ModelStore(engine, actor).export(study),
    }
    dataset = study_data.dataset.name
    report = add_system_figures(make_study_report(study_data, settings), data.records(dataset), data, dataset)
    report = with_warnings(report, data, dataset)
    report = with_marked_words(report, data, annotation, study).with_facts(facts or {})
    texts = {
        "analysis.json": json.dumps(report_as_json(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n",
        "judgments.jsonl": export(export_judgments(annotation, study), "jsonl"),
        **{name: export(records, "jsonl") for name, records in besides.items() if records},
        "scores.jsonl": export(export_scores(data, dataset), "jsonl"),
        **{f"{table.name}.csv": formats.as_csv(table) for table in report.tables},
    }
    read = report.labelled()
    texts["tables.tex"] = "\n".join(map(formats.as_latex, read.tables))
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()}
    texts["report.html"] = report_html(read, study_methods(study_data, read.shown.results), hashes)
    hashes["report.html"] = hashlib.sha256(texts["report.html"].encode()).hexdigest()
    texts["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        write_whole(folder / name, [text])
    return [folder / name for name in texts]


def report_html(report: Report, methods: str, hashes: Mapping[str, str] | None = None) -> str:
    """Return the page with findings, methods and all tables, with every text escaped and charts as drawings.

    `hashes` are those of the files behind it, if there are any.
    """
    drawings = dict(charts_of(report))
    parts = []
    for table in report.tables:
        parts.append(table_html(table, report))
        if table.name in drawings:
            parts.append(drawings[table.name])
    facts = "".join(f"<dt>{esc(name)}</dt><dd>{esc(text)}</dd>" for name, text in report.facts.items())
    ways = " · ".join(f'<a href="#{esc(table.name)}">{esc(table.title)}</a>' for table in report.tables)
    signatures = "".join(f"<li><code>{esc(signature)}</code></li>" for signature in report.gaps)
    files = "".join(f"<li>{esc(name)}: <code>{digest}</code></li>" for name, digest in sorted((hashes or {}).items()))
    behind = (
        f"<section id='files'><h2>Files behind this report (SHA-256)</h2><ul>{files}</ul></section>" if files else ""
    )
    cited = "".join(f"<li>{esc(source)}.</li>" for source in sources(report.shown.results))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{esc(report.heading)}</title><style>{STYLE}</style></head><body>"
        f"<h1>{esc(report.heading)}</h1>{findings_html(report)}<nav>{ways}</nav>"
        f"<section id='methods'><h2>Methods</h2><p>{esc(methods)}</p><dl>{facts}</dl></section>"
        f"{''.join(parts)}"
        f"<section id='signatures'><h2>Signatures of the metrics</h2><ul>{signatures}</ul></section>"
        f"<section id='sources'><h2>To cite</h2><ul>{cited}</ul></section>"
        f"{behind}</body></html>\n"
    )


def findings_html(report: Report) -> str:
    """Write the finding in sentences; empty if no metric has an agreement."""
    shown, inputs, people = report.shown, report.shown.inputs, report.people
    leaders, wanting = find_leaders(shown.agreement, inputs.preferences), find_wanting(shown.agreement)
    if wanting is not None:
        headline, finding = TOO_LITTLE, write_wanting(wanting, inputs.unit)
    elif leaders is not None:
        headline = write_headline(leaders, people, inputs.unit)
        finding = write_details(leaders, inputs.unit)
    else:
        return ""
    rule = shown.results.sequential
    stopping = "" if rule is None else describe_stopping(rule, shown.names.label_of)
    paragraphs = "".join(
        f"<p>{esc(text)}</p>" for text in (finding, stopping, *sampling_notes(inputs.sampling)) if text
    )
    return f"<section id='findings'><h2>{esc(headline)}</h2>{paragraphs}</section>"


def table_html(table: Table, report: Report) -> str:
    """Write a table; of agreement, show the columns that most readers want, with all others behind a click."""
    if table.name != "agreement" or not table.rows:
        return formats.as_html(table)
    short = short_agreement_table(table, report.shown.agreement, "half")
    whole = formats.as_html(table._replace(name="agreement_details"))
    return f"{formats.as_html(short)}<details><summary>All rules, counts and signatures</summary>{whole}</details>"


def charts_of(report: Report) -> Iterable[tuple[str, str]]:
    """Yield the charts of a study as HTML figures, each with the name of its table."""
    shown, results = report.shown, report.shown.results
    agreement, rule = shown.agreement, results.sequential
    if rule is not None and len(rule.places):
        wealth = figure(wealth_chart(rule), "The wealth of who bets that the two differ")
        difference = figure(difference_chart(rule, shown.names.label_of), "The interval holds at all times together")
        yield "sequential", wealth + difference
    if any(row.evaluation.agreement.pairs for row in agreement.rows) and find_wanting(agreement) is None:
        people = results.ceiling.agreement.half if results.ceiling else None
        yield (
            "agreement",
            figure(
                agreement_charts.agreement_chart(without_scarce(agreement), "half", people, name=report.people),
                "Agreement by the rule half",
            ),
        )
        if any(comparison.difference is not None for comparison in agreement.comparisons):
            yield (
                "comparisons",
                figure(
                    agreement_charts.comparison_chart(agreement),
                    "Row minus column; *: p below .05 after Holm's correction",
                ),
            )
        if any(row.evaluation.bins for row in agreement.rows):
            chart = agreement_charts.difference_chart(without_scarce(agreement))
            yield "by_difference", figure(chart, "Agreement by the scores' difference")
    human, matrix = (
        [row for row in shown.correlations[table] if row.method == "pearson"] for table in ("human", "matrix")
    )
    if any(row.levels.global_.r is not None for row in human):
        yield (
            "human",
            figure(correlation_charts.correlation_chart(human, "global", human[0].first), "Pearson's r, pooled"),
        )
    if any(row.levels.global_.r is not None for row in matrix):
        yield "matrix", figure(correlation_charts.correlation_heatmap(matrix, "global"), "Pearson's r, pooled")
    if "ranking" not in report.names:  # ratings are nobody's choices
        return
    ranking = results.reliability.ranking
    if any(row.strength is not None for row in ranking.rows):
        yield "ranking", figure(charts.ranking_chart(ranking), "Strengths with intervals")


def figure(chart: Any, caption: str) -> str:
    """Write a chart as a drawing that needs no script."""
    return f"<figure>{draw_svg(chart)}<figcaption>{esc(caption)}</figcaption></figure>"
