"""The page Upper bound: what its address says, the texts with what an extract covers, and its tables."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from data.records import Document
from metrics.text import count_words
from pages.components.evidence import count, passage
from pages.components.formats import esc
from pages.components.highlight import Mark, highlight, legend
from pages.components.oracle_tables import DEFINITIONS, RULES, WHOSE, inside_note, length_label, length_option
from pages.components.sections import Cell, Section, Undefined, known
from pages.components.text import in_one_line
from summarizers.base import REFERENCE_LENGTH, Length
from summarizers.oracles import ALGORITHMS, Target
from summarizers.oracles.coverage import Coverage, Place, coverage
from summarizers.oracles.evaluation import Row
from summarizers.oracles.problem import is_proven
from summarizers.oracles.standing import ABOVE, Standing, bounds_of
from summarizers.sentences import sentences_of

NAMES = ("exact", *(name for name in ALGORITHMS if name != "exact"))
"""The algorithms, called as the command calls them, the one that proves first."""

METRICS = {1: "ROUGE-1", 2: "ROUGE-2"}
DEFINITION_NAMES = {"clipped": "clipped", "set": "set"}
RULE_NAMES = {"max": "best of all", "first": "the first"}
UNIT_NAMES = {
    "": "no limit",
    "sentences": "sentences",
    "words": "words",
    "reference": "as many words as the first reference",
}
"""What a limit of the length is counted in."""

AMOUNTS = {"sentences": 3, "words": 100}
"""The limits that are proposed."""

MOST = {"sentences": 999, "words": 99_999}
"""The largest limits that can be asked for."""

DOCUMENT, ALL = "document", "all"
VIEWS = {DOCUMENT: "One document", ALL: "All documents"}

WAIT = 10.0
"""Seconds that an algorithm has for an opened document, all its references together."""

UNITS = {1: "words", 2: "pairs of words"}
ONE = {1: "word", 2: "pair of words"}
WORDS = {"matched": "covered", "missed": "missed"}
"""What marks say."""

ORACLE, SYSTEM = "oracle", "system"
SHOWN_WHOLE = 40
"""Lines of a source that does not scroll by itself."""

FOLDED = 2
"""Sentences in a row that are not taken and so are folded into one line."""

OPENING = 60
"""Characters of a title, or of the opening words, by which a document is known in a list."""

ROWS = 25
"""Rows of a table that does not scroll by itself."""

MANY = 20
"""Numbers of sentences that are listed."""

QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)

NOT_PROVEN = "the optimum is not proven"
NO_SYSTEM = "no system has a summary of the document"
NOTHING_SHARED = "no extract shares anything with a reference"
WHY_ABOVE = (
    "The bound is that of extracts: a system that writes words of its own, or more than the limit allows, may be above."
)
READING = (
    "Systems named oracle-… read the references: each is an upper bound itself, for the metric and length in its name."
)

# Buttons as high as the boxes beside them, so that the labels above stand in one line; a list that shows a document's
# words where the buttons beside it could leave it none.
CONTROLS_STYLE = """<style>
.stMain [data-testid=stButtonGroup] button { min-height: 2.5rem; }
.stMain .st-key-bound_document { min-width: min(100%, 18rem); }
</style>"""

# What is taken has a thick line and a word before it: colour only repeats it.
EXTRACT_STYLE = """<style>
.bound { display: grid; gap: 1rem; grid-template-columns: minmax(0, 1fr); margin-bottom: .5rem; }
@media (min-width: 900px) { .bound { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
.bound > div { border: 1px solid rgb(128 128 128 / .4); border-radius: .5rem; padding: .75rem 1rem; min-width: 0; }
.bound .long { max-height: min(40rem, 75vh); overflow-y: auto; }
@media (min-width: 900px) { .bound .against { position: sticky; top: 4.5rem; align-self: start; } }
.bound .name { font-weight: 600; margin-bottom: .5rem; }
.bound .badge { user-select: none; }
.evidence.bound ol { list-style: none; padding: 0; margin: 0; }
.evidence.bound .note { margin-top: .75rem; }
@media (max-width: 899px) { .bound .against { order: -1; } }
.evidence.bound li { display: grid; grid-template-columns: 1.75rem minmax(0, 1fr); column-gap: .5rem; padding: .2rem;
  margin: 0; border-inline-start: 5px solid transparent; }
.bound li .number { text-align: end; font-variant-numeric: tabular-nums; opacity: .8; font-size: .875rem;
  line-height: 1.7; }
.bound li.taken { border-inline-start-color: rgb(37 99 235); background: rgb(37 99 235 / .08); }
.bound li.taken .number { font-weight: 700; opacity: 1; }
.evidence.bound .k-matched { background: light-dark(rgb(37 99 235 / .2), rgb(96 165 250 / .4)); }
.bound li .text { white-space: pre-wrap; }
.evidence.bound li.skip { display: block; padding-inline-start: 2.4rem; }
.evidence.bound li.skip ol { margin-inline-start: -2.4rem; }
.bound li.skip summary { font-size: .875rem; padding-block: .25rem; }
@media print {
  .bound .long { max-height: none; }
  .bound details::details-content { content-visibility: visible; display: block; block-size: auto; }
}
.bound .badge { display: inline-block; border: 1px solid currentColor; border-radius: .6em; padding: 0 .5em;
  font-size: .75rem; font-weight: 600; }
</style>"""


# --- what is asked for ----------------------------------------------------------------------------------------


class Asked(NamedTuple):
    """What the controls of the page, or its address, say."""

    dataset: str
    target: Target = Target()
    length: Length | None = None

    @property
    def address(self) -> dict[str, str]:
        """The parts of an address that name it."""
        return {
            "dataset": self.dataset,
            "metric": f"rouge{self.target.n}",
            "definition": self.target.definition,
            "references": self.target.references,
            **({"length": named} if (named := length_option(self.length)) else {}),
        }


def asked_by(address: Mapping[str, str], datasets: Sequence[str]) -> Asked:
    """What an address asks for, of the data sets that there are; what it does not say, or says wrongly, is usual."""
    named = address.get("dataset", "")
    n = next((n for n in METRICS if address.get("metric") == f"rouge{n}"), 1)
    definition, references = address.get("definition"), address.get("references")
    return Asked(
        named if named in datasets else datasets[0],
        Target(
            n,
            definition if definition in DEFINITION_NAMES else "clipped",
            references if references in RULE_NAMES else "max",
        ),
        named_length(address.get("length", "")),
    )


def named_length(name: str) -> Length | None:
    """The length that an address names as the command line does: `3`, `100w`, `ref`; None for any other name."""
    if name == "ref":
        return REFERENCE_LENGTH
    if not (found := re.fullmatch(r"([1-9][0-9]{0,4})(w?)", name)):
        return None
    unit = "words" if found[2] else "sentences"
    amount = int(found[1])
    return Length(amount, unit) if amount <= MOST[unit] else None


def length_of(unit: str, amount: int) -> Length | None:
    """The length of a unit of `UNIT_NAMES`."""
    if not unit:
        return None
    return REFERENCE_LENGTH if unit == "reference" else Length(amount, unit)


def not_here(address: Mapping[str, str], datasets: Collection[str]) -> list[str]:
    """What an address names and there is not, a sentence each, as plain text; documents are told by `no_such`."""
    known: dict[str, tuple[str, Collection[str]]] = {
        "dataset": ("data set", datasets),
        "metric": ("metric", [f"rouge{n}" for n in METRICS]),
        "definition": ("way of counting", DEFINITION_NAMES),
        "references": ("rule for references", RULE_NAMES),
        "view": ("view", VIEWS),
        "algorithm": ("algorithm", NAMES),
    }
    said = [
        no_such(what, address[part])
        for part, (what, those) in known.items()
        if part in address and address[part] not in those
    ]
    if "length" in address and named_length(address["length"]) is None:
        said.append(no_such("length", address["length"], "there is no limit"))
    return said


def no_such(what: str, named: str, instead: str = "the first is shown") -> str:
    """That a link names something that there is not, as plain text."""
    return f"This link names a {what} that is not here (“{cut(named)}”): {instead}."


def cut(text: str) -> str:
    """A text in one line, with its end left out where it is long."""
    line = in_one_line(text[: 10 * OPENING])
    return line if len(line) <= OPENING else f"{line[: OPENING - 1].rstrip()}…"


def opening_of(document: Document) -> str:
    """A document's title, or its opening words where it has none."""
    source = document.source if isinstance(document.source, str) else " ".join(document.source[:OPENING])
    return cut(document.title or source)


def numbered(documents: Iterable[Document]) -> dict[str, str]:
    """What documents are called in a list, by their ids: a number, which counts from 1, and how they open."""
    return {
        document.id: f"{number} · {opening_of(document)}".rstrip(" ·")
        for number, document in enumerate(documents, start=1)
    }


def headline(asked: Asked) -> str:
    """What the bound is, as plain text."""
    return f"The highest {METRICS[asked.target.n]} F1 that any choice of a document's own sentences can reach."


def explanation(asked: Asked) -> str:
    """What the choices mean, as plain text."""
    target = asked.target
    text = "; ".join((DEFINITIONS[target.definition], RULES[target.references], length_label(asked.length)))
    return f"{text[0].upper()}{text[1:]}. {inside_note(target)}"


# --- an extract -----------------------------------------------------------------------------------------------


def extract_words(row: Row, optimum: Row, document: Document, asked: Asked) -> str:
    """An extract in sentences, as plain text: how good and how long it is, and what is known of better ones.

    `optimum` is what the exact search found.
    """
    if optimum.proven and not optimum.places:
        return f"Nothing can be taken, and the highest F1 is 0: {why_nothing(document, asked)}."
    plain = asked.target.n == 1 and asked.target.definition == "clipped"
    references = len(document.references)
    against = f"reference {row.reference + 1} of {references}" if references > 1 else "the reference"
    words = count_words(" ".join(taken(row, document)))
    seconds = f"{row.seconds:.2f} s"
    if row.proven:
        known = f"Proven optimal in {seconds}: no extract scores higher{'' if plain else ' by this count'}."
    elif row.bound is not None:
        known = f"Best found so far, the time was over after {seconds}: no extract is above {row.bound:.4f}."
    elif not optimum.proven:
        known = f"Found in {seconds}; whether there is a better one is not proven."
    elif is_proven(row.f1, optimum.f1):
        known = f"Found in {seconds}: as good as the proven optimum."
    else:
        known = f"Found in {seconds}: {optimum.f1 - row.f1:.4f} below the proven optimum, {optimum.f1:.4f}."
    return f"F1 {row.f1:.4f} against {against}, {count(len(row.places), 'sentence')}, {count(words, 'word')}. {known}"


def why_nothing(document: Document, asked: Asked) -> str:
    """Why the best extract of a document has no sentence: none is short enough, or none that is shares anything."""
    length, sentences = asked.length, sentences_of(document)
    most = length.words(document) if length and length.unit != "sentences" else None
    short = [sentence for sentence in sentences if most is None or count_words(sentence) <= most]
    among = "no sentence" if most is None or len(short) == len(sentences) else f"no sentence of at most {most} words"
    if not short:
        return f"no sentence has {count(most or 0, 'word')} or fewer"
    several = len(document.references) > 1 and asked.target.references == "max"
    return f"{among} shares a {ONE[asked.target.n]} with {'a' if several else 'the'} reference"


def taken(row: Row, document: Document) -> list[str]:
    """The sentences of an extract."""
    sentences = sentences_of(document)
    return [sentences[place] for place in row.places]


def extract_html(document: Document, row: Row, target: Target) -> str:
    """The source's sentences beside the reference: which are taken, and which n-grams that covers or misses.

    Sentences in a row that are not taken are folded into a line that opens.
    """
    sentences, reference = sentences_of(document), document.references[row.reference]
    covered = coverage(sentences, row.places, reference, target)
    lines = source_lines(sentences, covered)
    theirs = [*marks(reference, covered.covered, "matched"), *marks(reference, covered.missed, "missed")]
    name = f"Reference {row.reference + 1}" if len(document.references) > 1 else "Reference"
    numbers = f" ({listed(row.places)})" if row.places else ""
    head = f"Source: {len(row.places)} of {count(len(sentences), 'sentence')} taken{numbers}"
    scrolls = len(lines) > SHOWN_WHOLE
    within = ' class="long" role="region" aria-label="Source, sentence by sentence" tabindex="0"' if scrolls else ""
    return (
        f'<div class="evidence bound"><div><div class="name">{head}</div>'
        f"<div{within}>"
        f"<ol>{''.join(lines)}</ol></div></div>"
        f'<div class="against">{passage(reference, theirs, name)}'
        f'<p class="note">{esc(covered_words(covered, target))}</p>'
        f"{legend((mark.kind for mark in theirs), WORDS)}</div></div>"
    )


def source_lines(sentences: Sequence[str], covered: Coverage) -> list[str]:
    """The sentences of a source as items of a list; those between the taken ones are folded, unless none is taken."""
    lines = []
    for is_taken, run in groupby(range(len(sentences)), covered.extract.__contains__):
        places = list(run)
        items = [sentence_html(place, sentences[place], covered.extract.get(place)) for place in places]
        if is_taken or not covered.extract or len(places) < FOLDED:
            lines += items
        else:
            said = f"{len(places)} sentences not taken ({places[0] + 1}–{places[-1] + 1})"
            body = f'<ol start="{places[0] + 1}">{"".join(items)}</ol>'
            lines.append(f'<li class="skip"><details><summary>{said}</summary>{body}</details></li>')
    return lines


def listed(places: Sequence[int]) -> str:
    """Sentences by their numbers, which count from 1."""
    more = f" and {len(places) - MANY} more" if len(places) > MANY else ""
    return ", ".join(str(place + 1) for place in places[:MANY]) + more


def sentence_html(place: int, sentence: str, covered: Sequence[Place] | None) -> str:
    """A sentence of the source with its number; one that is taken with what it covers, which may be nothing."""
    taken = covered is not None
    kind, badge = (' class="taken"', '<span class="badge">taken</span> ') if taken else ("", "")
    body = highlight(sentence, marks(sentence, covered or (), "matched"))
    return (
        f'<li{kind}><span class="number">{place + 1}</span>'
        f'<span>{badge}<span class="text" dir="auto">{body}</span></span></li>'
    )


def marks(text: str, places: Iterable[Place], kind: str) -> list[Mark]:
    """Marks on the n-grams of a sentence or reference; those that match light each other."""
    return [
        Mark(
            *place.span,
            kind,
            f"{WORDS[kind]}: “{text[slice(*place.span)]}”",
            f"g{place.ngram}" if kind == "matched" else "",
        )
        for place in places
    ]


def covered_words(covered: Coverage, target: Target) -> str:
    """The F1 counted back from what is marked."""
    what = f"{'different ' if target.definition == 'set' else ''}{UNITS[target.n]}"
    matched, ours, theirs = covered.matched, covered.in_extract, covered.in_reference
    f1 = 2 * matched / (ours + theirs) if matched else 0.0
    return (
        f"{matched} of the {theirs} {what} that ROUGE counts in the reference are covered; it counts {ours} in the "
        f"extract: F1 = 2 × {matched} / ({ours} + {theirs}) = {f1:.4f}."
    )


def called(algorithm: str, proven: bool) -> str:
    """What a row of an algorithm is called: nothing is an optimum that is not proven to be one."""
    return f"{algorithm} (best found)" if algorithm == "exact" and not proven else algorithm


# --- tables of a document -------------------------------------------------------------------------------------


def algorithms_section(rows: Sequence[Row]) -> Section:
    """What each algorithm found for one document, and how far it is below the optimum."""
    optimum = {row.document_id: row.f1 for row in rows if row.algorithm == "exact" and row.proven}
    cells: list[dict[str, Cell]] = [
        {
            "algorithm": called(row.algorithm, row.proven),
            "F1": row.f1,
            "gap": known(optimum[row.document_id] - row.f1 if row.document_id in optimum else None, NOT_PROVEN),
            "sentences": len(row.places),
            "reference": row.reference + 1,
            "seconds": row.seconds,
        }
        for row in rows
    ]
    notes = ["Gap: the proven optimum minus F1. Seconds: of all references together."]
    if any("@paper" in row.algorithm for row in rows):
        notes.append(WHOSE)
    return Section("oracles_of_document", "Every algorithm on this document", cells, notes)


def systems_section(f1_of: Mapping[str, float], bound: float) -> Section:
    """Each system of one document below the bound, the best one first."""
    rows: list[dict[str, Cell]] = [
        {
            "system": system,
            "F1": f1,
            "share": f1 / bound if bound > 0 else Undefined(NOTHING_SHARED),
            "gap": bound - f1,
        }
        for system, f1 in sorted(f1_of.items(), key=lambda item: -item[1])
    ]
    notes = ["F1 counted by the same definition. Share: of the bound; gap: bound minus F1, negative above the bound."]
    if any(f1 > bound + ABOVE for f1 in f1_of.values()):
        notes.append(WHY_ABOVE)
    if any(map(reads_references, f1_of)):
        notes.append(READING)
    empty = "no summary of this document has a word to compare"
    return Section("systems_of_document", "Systems on this document", rows, notes, empty)


def reads_references(system: str) -> bool:
    """Whether a system of a data set is an oracle that was put into it."""
    return system.startswith("oracle-")


# --- tables of a data set -------------------------------------------------------------------------------------


def verdict(found: Sequence[Standing], rows: Iterable[Row], asked: Asked) -> str:
    """How high extracts could score, and how near to that the best system comes, as plain text.

    The best is that with the highest mean among the systems that do not read the references and have most documents.
    """
    exact = [row for row in rows if row.algorithm == "exact"]
    mean = float(np.mean(list(bounds_of(exact).values())))
    unproven = sum(not row.proven for row in exact)
    such = " of this length" if asked.length else ""
    said = f"No extracts{such} exceed {mean:.3f} on average"
    if unproven:
        said = f"Extracts{such} reach at most {mean:.3f} on average ({unproven} of {len(exact)} optima are not proven)"
    systems = [row for row in found if not reads_references(row.system)]
    best = max(systems, key=lambda row: (row.documents, row.mean), default=None)
    if best is None or best.share is None:
        return f"{said}."
    of = "that" if best.documents == len(exact) else f"the bound on its {count(best.documents, 'document')}"
    return f"{said}; the best system, {in_one_line(best.system)}, reaches {best.share:.0%} of {of} ({best.mean:.3f})."


def documents_section(
    rows: Sequence[Row], f1_of: Mapping[str, Mapping[str, float]], names: Mapping[str, str]
) -> Section:
    """Each document with its bound, the heuristic and the system that fall short of it; the greatest gap first.

    `names` are those of `numbered`. Systems that read the references are left out.
    """
    bounds, optimum = bounds_of(rows), {row.document_id: row.f1 for row in rows if row.algorithm == "exact"}
    proven = {row.document_id for row in rows if row.algorithm == "exact" and row.proven}
    heuristics: dict[str, list[tuple[float, str]]] = {}
    for row in rows:
        if row.algorithm != "exact":
            heuristics.setdefault(row.document_id, []).append((row.f1, row.algorithm))
    systems = {system: f1 for system, f1 in f1_of.items() if not reads_references(system)}
    kept = []
    for key, bound in bounds.items():
        scored = {system: f1[key] for system, f1 in systems.items() if key in f1}
        best = max(scored, key=scored.__getitem__, default=None)
        low, worst = min(heuristics.get(key, [(optimum[key], "exact")]), key=lambda found: found[0])
        falls_short = not is_proven(low, optimum[key])
        gap = bound - scored[best] if best is not None else None
        cells: dict[str, Cell] = {
            "document": names[key],
            "best F1" if len(proven) == len(bounds) else "best F1 or its bound": bound,
            "best system": Undefined(NO_SYSTEM) if best is None else best,
            "gap": known(gap, NO_SYSTEM),
            "systems above": sum(f1 > bound + ABOVE for f1 in scored.values()),
            "worst algorithm": Undefined(NOT_PROVEN) if key not in proven else worst if falls_short else "none",
            "gap to the optimum": known(optimum[key] - low if key in proven else None, NOT_PROVEN),
            "id": key,
        }
        kept.append((gap, cells))
    kept.sort(key=lambda item: (item[0] is None, -(item[0] or 0.0)))
    notes = [
        "Gap: the bound minus the F1 of the document's best system, negative where systems are above. Worst algorithm: "
        "the one furthest below the proven optimum, and its gap."
    ]
    return Section("documents", "Document by document", [cells for _, cells in kept], notes)


def without_signatures(section: Section) -> Section:
    """The same table without its column of signatures."""
    rows = [{name: cell for name, cell in row.items() if name != "signature"} for row in section.rows]
    return section._replace(rows=rows)


def table_height(rows: int) -> int:
    """Pixels of a table that shows up to `ROWS` rows without scrolling by itself."""
    return 38 + 35 * min(rows, ROWS)


def standings_section(found: Sequence[Standing]) -> Section:
    """The systems of a data set below the bound."""
    rows: list[dict[str, Cell]] = [
        {
            "system": row.system,
            "mean F1": row.mean,
            "share": Undefined(NOTHING_SHARED) if row.share is None else row.share,
            "gap": row.gap,
            "mean bound": row.bound,
            "above the bound": row.above,
            "documents": row.documents,
        }
        for row in found
    ]
    notes = [
        "Share: mean F1 over the mean of the bound on the same documents; gap: the bound minus F1; above the bound: on "
        "so many documents. Where an optimum is not proven, what no extract exceeds stands for it."
    ]
    if any(row.above for row in found):
        notes.append(WHY_ABOVE)
    if any(reads_references(row.system) for row in found):
        notes.append(READING)
    return Section("standings", "Systems beside the bound", rows, notes, "no system has a document with a bound")


class Spread(NamedTuple):
    """How the F1 of an algorithm or a system is spread over documents, in [0, 1]."""

    name: str
    kind: str
    """`ORACLE` or `SYSTEM`."""
    documents: int
    low: float
    lower_quartile: float
    median: float
    upper_quartile: float
    high: float
    mean: float


def spreads(rows: Iterable[Row], f1_of: Mapping[str, Mapping[str, float]]) -> list[Spread]:
    """The algorithms, the exact one first, then the systems on the same documents, the highest mean first."""
    by_algorithm: dict[str, list[Row]] = {}
    for row in rows:
        by_algorithm.setdefault(row.algorithm, []).append(row)
    documents = dict.fromkeys(row.document_id for found in by_algorithm.values() for row in found)
    of_oracles = [
        spread(called(name, all(row.proven for row in found)), ORACLE, [row.f1 for row in found])
        for name in NAMES
        if (found := by_algorithm.get(name))
    ]
    of_systems = [
        spread(in_one_line(system), ORACLE if reads_references(system) else SYSTEM, kept)
        for system, f1 in f1_of.items()
        if (kept := [f1[key] for key in documents if key in f1])
    ]
    return [*of_oracles, *sorted(of_systems, key=lambda found: -found.mean)]


def spread(name: str, kind: str, f1: Sequence[float]) -> Spread:
    """The spread of at least one value."""
    low, lower, median, upper, high = (float(value) for value in np.quantile(f1, QUARTILES))
    return Spread(name, kind, len(f1), low, lower, median, upper, high, float(np.mean(f1)))
