"""The tables of docs/reproduce/corpora.md: which metric agrees with people on every corpus at hand."""

import os
from collections import Counter
from functools import cache
from typing import Any

import numpy as np

from benchmarks.prepared import block, number, run, tables
from relevance.analysis.significance import ALPHA
from relevance.annotation.sources import list_judged, load_judged
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.preferences import Preferences
from relevance.data.signatures import name_of
from relevance.data.store import DataStore
from relevance.data.ties import preference_signs
from relevance.reports.contents.corpora import compare_judged
from relevance.reports.formats.cells import format_p

METRICS = ("rouge1", "rouge2", "rougeL", "bertscore", "rouge_k", "length")
OTHERS = tuple(name for name in METRICS if name != "rouge_k")
CORPORA = (
    "import summeval.jsonl --name SummEval",
    "import judged/mslr --columns mslr.toml --name MSLR",
    "import judged/mslr --columns mslr-facets.toml --name MSLR-facets",
    "import judged/squality --columns squality.toml --name SQuALITY",
    "import judged/goyal2022 --columns goyal2022.toml --name Goyal",
    "demo",
)
SCORED = ("SummEval", "MSLR", "MSLR-facets", "SQuALITY")
OF_GOYAL = "score Goyal --metrics length"
"""It has no references, which all other metrics need."""


@cache
def commands() -> tuple[str, ...]:
    """Import and score the corpora, once; return the commands."""
    lines = (*CORPORA, *(f"score {name} --metrics {','.join(METRICS)}" for name in SCORED), OF_GOYAL)
    for line in lines:
        run(line)
    return lines


def corpora_table() -> str:
    """How often each metric agrees with people on each corpus; in bold where it leads."""
    line = f"corpora --metrics {','.join(METRICS)}"
    lines = [*commands(), line]
    rows = [
        [row["data set"], row["judged by"], f"{row['n']:,}", *(cell(row, name) for name in (*METRICS, "people"))]
        for row in tables(line)["corpora"]
    ]
    return block(lines, ["", "judged by", "n", *(f"`{name}`" for name in METRICS), "people"], rows)


def cell(row: dict[str, Any], name: str) -> str:
    """A share with its interval, in bold where the metric leads."""
    if row.get(name) is None:
        return number(None)
    low, high = (number(end)[1:] for end in row[f"{name} 95 %"])
    share = number(row[name])[1:]
    return f"{f'**{share}**' if name in row.get('marks', {}) else share} ({low} to {high})"


def corpora_rouge_k() -> str:
    """The same on the pairs whose ROUGE-K differs, as the ROUGE-K paper asks people about."""
    commands()
    engine = connect(os.environ["RELEVANCE_DATABASE_URL"])
    data, annotation = DataStore(engine), AnnotationStore(engine)
    rows, standings = [], {name: Counter[str]() for name in OTHERS}
    for one in list_judged(data, annotation):
        found = told_by_keywords(load_judged(data, annotation, one))
        if found is None:
            continue
        corpus = compare_judged(one, found, METRICS)
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
        rows.append([one.dataset, one.people, f"{own.pairs:,}", number(own.half)[1:], *versus])
    head = ["", "judged by", "n", "`rouge_k`", *(f"`{name}`" for name in OTHERS)]
    told = [f"`{name}` {of['ahead']}, {of['behind']} and {of['same']}" for name, of in standings.items()]
    summary = f"Rows in which ROUGE-K is ahead, behind, and not told apart (p of .05 or more): {'; '.join(told)}.\n"
    return f"{block([], head, rows)}\n{summary}"


def told_by_keywords(preferences: Preferences) -> Preferences | None:
    """The preferences on pairs whose ROUGE-K differs; None without ROUGE-K."""
    signature = next((one for one in preferences.scores if name_of(one) == "rouge_k"), None)
    if signature is None:
        return None
    differences = preferences.differences()[signature]
    return preferences.where(~np.isnan(differences) & (preference_signs(differences) != 0))
