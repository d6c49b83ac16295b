"""The tables of docs/reproduce/corpora.md: which metric agrees with people on every corpus at hand."""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from benchmarks.prepared import block, number, run
from relevance.analysis.corpora import keep_scores, scored_by
from relevance.analysis.significance import ALPHA
from relevance.annotation.sources import JudgedCorpus, list_judged, load_judged
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.preferences import Preferences
from relevance.data.signatures import is_against_source, is_length, name_of
from relevance.data.store import DataStore
from relevance.data.ties import preference_signs
from relevance.reports.formats.cells import format_p
from relevance.reports.report.corpora import compare_judged
from relevance.reports.tables.corpora import PEOPLE, corpus_row
from relevance.reports.tables.table import Marked, Undefined

METRICS = ("rouge1", "rouge2", "rougeL", "bertscore", "rouge_k", "length")
OTHERS = tuple(name for name in METRICS if name != "rouge_k")
CORPORA = (
    "import summeval.jsonl --name SummEval",
    "import judged/mslr --columns mslr.toml --name MSLR",
    "import judged/mslr --columns mslr-facets.toml --name MSLR-facets",
    "import judged/squality --columns squality.toml --name SQuALITY",
    "demo",
)
SCORED = ("SummEval", "MSLR", "MSLR-facets", "SQuALITY")
COMPARED = (*SCORED, "demo")

AGAINST_SOURCES = ("rouge1", "rouge2", "rougeL", "bertscore", "rouge_k", "carouge", "apes", "length")
OF_SOURCES = ("Goyal", "SummEval", "SQuALITY")
WITHOUT_REFERENCES = (
    "import judged/goyal2022 --columns goyal2022.toml --name Goyal",
    f"score Goyal --metrics {','.join(AGAINST_SOURCES)}",
    *(f"score {name} --references source --metrics {','.join(AGAINST_SOURCES)}" for name in OF_SOURCES[1:]),
)


@cache
def commands() -> tuple[str, ...]:
    """Import and score the corpora, once; return the commands."""
    return run_all([*CORPORA, *(f"score {name} --metrics {','.join(METRICS)}" for name in SCORED)])


def run_all(lines: Sequence[str]) -> tuple[str, ...]:
    """Run commands, and return them."""
    for line in lines:
        run(line)
    return tuple(lines)


def corpora_table() -> str:
    """How often each metric agrees with people on each corpus; in bold where it leads."""
    rows = shares_rows(COMPARED, METRICS, against_source=False)
    return shares_table([*commands(), f"corpora --metrics {','.join(METRICS)}"], METRICS, rows)


def corpora_sources() -> str:
    """The same where summaries are set against their sources."""
    commands()
    lines = run_all(WITHOUT_REFERENCES)
    rows = shares_rows(OF_SOURCES, AGAINST_SOURCES, against_source=True)
    return shares_table([*lines, f"corpora --metrics {','.join(AGAINST_SOURCES)}"], AGAINST_SOURCES, rows)


def shares_table(commands: Sequence[str], metrics: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of shares below the commands that make them."""
    return block(commands, ["", "judged by", "n", *(f"`{name}`" for name in metrics), "people"], rows)


def shares_rows(datasets: Collection[str], metrics: Collection[str], *, against_source: bool) -> list[list[str]]:
    """The shares of metrics on some data sets, by their scores against references or against sources."""
    commands()
    rows = []
    for source, preferences in load_corpora(datasets, against_source=against_source):
        corpus = compare_judged(source, preferences, metrics)
        labels = {name: next((s for s in corpus.rows if name_of(s) == name), name) for name in metrics}
        row = corpus_row(corpus, {signature: name for name, signature in labels.items()})
        rows.append([source.dataset, source.people, f"{row['n']:,}", *(cell(row, name) for name in (*metrics, PEOPLE))])
    return rows


def load_corpora(datasets: Collection[str], *, against_source: bool) -> Iterator[tuple[JudgedCorpus, Preferences]]:
    """What people said of some data sets, with the scores against references or against sources, and of `length`."""
    engine = connect(os.environ["RELEVANCE_DATABASE_URL"])
    data, annotation = DataStore(engine), AnnotationStore(engine)
    for source in list_judged(data, annotation):
        if source.dataset in datasets:
            corpus_preferences = load_judged(data, annotation, source)
            kept = [s for s in scored_by(corpus_preferences) if is_length(s) or is_against_source(s) == against_source]
            yield source, keep_scores(corpus_preferences, kept)


def cell(row: dict[str, Any], name: str) -> str:
    """A share with its interval, in bold where the metric leads."""
    value, ends = row[name], row[f"{name} 95 %"]
    if isinstance(value, Undefined):
        return number(None)
    low, high = (number(end)[1:] for end in ends)
    share = number(value.value if isinstance(value, Marked) else value)[1:]
    return f"{f'**{share}**' if isinstance(value, Marked) and value.mark else share} ({low} to {high})"


def corpora_rouge_k() -> str:
    """The same on the pairs whose ROUGE-K differs, as the ROUGE-K paper asks people about."""
    commands()
    rows, standings = [], {name: Counter[str]() for name in OTHERS}
    for source, preferences in load_corpora(COMPARED, against_source=False):
        lead = told_by_keywords(preferences)
        if lead is None:
            continue
        corpus = compare_judged(source, lead, METRICS)
        shares = {name_of(signature): row.evaluation.agreement for signature, row in corpus.rows.items()}
        if (own := shares.get("rouge_k")) is None:
            continue
        tests = {frozenset((each.first, each.second)): each.p_holm for each in corpus.agreement.comparisons}
        versus = []
        for name in OTHERS:
            p = tests[frozenset(("rouge_k", name))]
            assert p is not None
            difference = (own.half or 0) - (shares[name].half or 0)
            standings[name]["same" if p >= ALPHA else "ahead" if difference > 0 else "behind"] += 1
            versus.append(f"{number(shares[name].half)[1:]} (p {format_p(p)})")
        rows.append([source.dataset, source.people, f"{own.pairs:,}", number(own.half)[1:], *versus])
    head = ["", "judged by", "n", "`rouge_k`", *(f"`{name}`" for name in OTHERS)]
    told = [f"`{name}` {of['ahead']}, {of['behind']} and {of['same']}" for name, of in standings.items()]
    summary = (
        f"Rows in which ROUGE-K is ahead, behind, and not significantly different (alpha = .05): {'; '.join(told)}.\n"
    )
    return f"{block([], head, rows)}\n{summary}"


def told_by_keywords(preferences: Preferences) -> Preferences | None:
    """The preferences on pairs whose ROUGE-K differs; None without ROUGE-K."""
    signature = next((signature for signature in preferences.scores if name_of(signature) == "rouge_k"), None)
    if signature is None:
        return None
    differences = preferences.differences()[signature]
    return preferences.where(~np.isnan(differences) & (preference_signs(differences) != 0))
