"""The choices on the page, made by its controls or its address, and their description."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from relevance.data.one_line import cut, in_one_line
from relevance.data.records import Document
from relevance.data.wording import format_count
from relevance.metrics.languages import ENGLISH, LANGUAGES
from relevance.pages.components.shared.records import opening_of
from relevance.reports.tables.bounds import reads_references
from relevance.reports.tables.oracles import DEFINITIONS, REFERENCE_RULE_NOTES, inside_note, length_label, length_option
from relevance.summarizers.base import REFERENCE_LENGTH, SummaryLength, read_length
from relevance.summarizers.oracles import Target
from relevance.summarizers.oracles.evaluation import OracleRow, OracleTask
from relevance.summarizers.oracles.standing import Standing, bounds_of

METRICS = {1: "ROUGE-1", 2: "ROUGE-2"}

DEFINITION_NAMES = {"clipped": "clipped", "set": "set"}

RULE_NAMES = {"max": "best of all", "first": "the first"}

OTHER_LANGUAGES = {code: language.name for code, language in LANGUAGES.items() if code != ENGLISH}
"""The languages whose code replaces a tokenizer."""

UNIT_NAMES = {
    "": "no limit",
    "sentences": "sentences",
    "words": "words",
    "reference": "as many words as the first reference",
}
"""The units of a length limit."""

AMOUNTS = {"sentences": 3, "words": 100}
"""The default limits."""

MOST = {"sentences": 999, "words": 99_999}
"""The largest possible limits."""

DOCUMENT, ALL = "document", "all"

VIEWS = {DOCUMENT: "One document", ALL: "All documents"}

SEARCHES = ("exact", "greedy")
"""The searches of the page; the command has all of them."""

WAIT = 10.0
"""Seconds that a search has for an opened document, for all its references together."""

OPENING = 60
"""The most characters of a document's title or opening words in a list."""

ROWS = 25
"""The most rows of a table that does not scroll by itself."""


# Buttons are as high as the boxes beside them, so that their labels are in one line; the list of documents keeps enough
# width for their words beside its buttons.
CONTROLS_STYLE = """<style>
.stMain [data-testid=stButtonGroup] button { min-height: 2.5rem; }
.stMain .st-key-bound_document { min-width: min(100%, 18rem); }
</style>"""


# --- what is asked for ----------------------------------------------------------------------------------------


class BoundChoice(NamedTuple):
    """The choices made by the controls of the page, or by its address."""

    dataset: str
    target: Target = Target()
    length: SummaryLength | None = None

    @property
    def task(self) -> OracleTask:
        """The searches for the bound."""
        return OracleTask(self.target, SEARCHES, self.length)

    @property
    def address(self) -> dict[str, str]:
        """The parts of an address that name it."""
        return {
            "dataset": self.dataset,
            "metric": f"rouge{self.target.n}",
            "definition": self.target.definition,
            "references": self.target.references,
            **({"language": self.target.tokenizer} if self.target.tokenizer in OTHER_LANGUAGES else {}),
            **({"length": named} if (named := length_option(self.length)) else {}),
        }


def asked_by(address: Mapping[str, str], datasets: Sequence[str]) -> BoundChoice:
    """Read the choices from an address, for these data sets; what is missing or invalid has its default."""
    named = address.get("dataset", "")
    n = next((n for n in METRICS if address.get("metric") == f"rouge{n}"), 1)
    definition, references, language = (address.get(part) for part in ("definition", "references", "language"))
    return BoundChoice(
        named if named in datasets else datasets[0],
        Target(
            n,
            definition if definition in DEFINITION_NAMES else "clipped",
            references if references in RULE_NAMES else "max",
            language if language in OTHER_LANGUAGES else Target().tokenizer,
        ),
        named_length(address.get("length", "")),
    )


def named_length(name: str) -> SummaryLength | None:
    """Return the length named as on the command line: `3`, `100w`, `ref`; None for any other name."""
    length = read_length(name)
    return None if length is None or length.amount > MOST.get(length.unit, length.amount) else length


def make_length(unit: str, amount: int) -> SummaryLength | None:
    """Return the length for a unit of `UNIT_NAMES`."""
    if not unit:
        return None
    return REFERENCE_LENGTH if unit == "reference" else SummaryLength(amount, unit)


def not_here(address: Mapping[str, str], datasets: Collection[str]) -> list[str]:
    """Write a sentence for each thing that an address names and that does not exist, as plain text.

    Documents are not checked here, see `no_such`.
    """
    known: dict[str, tuple[str, Collection[str]]] = {
        "dataset": ("data set", datasets),
        "metric": ("metric", [f"rouge{n}" for n in METRICS]),
        "definition": ("way of counting", DEFINITION_NAMES),
        "references": ("rule for references", RULE_NAMES),
        "language": ("language", LANGUAGES),
        "view": ("view", VIEWS),
    }
    absent = [
        no_such(what, address[part])
        for part, (what, those) in known.items()
        if part in address and address[part] not in those
    ]
    if "length" in address and named_length(address["length"]) is None:
        absent.append(no_such("length", address["length"], "there is no limit"))
    return absent


def no_such(what: str, named: str, instead: str = "the first is shown") -> str:
    """Say that a link names something that does not exist, as plain text."""
    return f"This link names a {what} that is not here (“{cut(named, OPENING)}”): {instead}."


def name_documents(documents: Iterable[Document]) -> dict[str, str]:
    """Return the names of documents in a list, by id: a number, which counts from 1, and their opening words."""
    return {
        document.id: f"{number} · {opening_of(document, OPENING)}" for number, document in enumerate(documents, start=1)
    }


def headline(choice: BoundChoice) -> str:
    """Say what the bound is, as plain text."""
    return f"The highest {METRICS[choice.target.n]} F1 that any choice of a document's own sentences can reach."


def explanation(choice: BoundChoice) -> str:
    """Explain the choices, as plain text."""
    target = choice.target
    text = "; ".join(
        (DEFINITIONS[target.definition], REFERENCE_RULE_NOTES[target.references], length_label(choice.length))
    )
    return f"{text[0].upper()}{text[1:]}. {inside_note(target)}"


# --- tables of a data set -------------------------------------------------------------------------------------


def describe_best_system(standings: Sequence[Standing], rows: Iterable[OracleRow], choice: BoundChoice) -> str:
    """Say how high extracts could score, and how near to that the best system comes, as plain text.

    The best system has the highest mean among those that do not read the references and have most documents.
    """
    exact = [row for row in rows if row.algorithm == "exact"]
    mean = float(np.mean(list(bounds_of(exact).values())))
    unproven = sum(not row.proven for row in exact)
    such = " of this length" if choice.length else ""
    sentence = f"No extracts{such} exceed {mean:.3f} on average"
    if unproven:
        sentence = (
            f"Extracts{such} reach at most {mean:.3f} on average ({unproven} of {len(exact)} optima are not proven)"
        )
    systems = [row for row in standings if not reads_references(row.system)]
    best = max(systems, key=lambda row: (row.documents, row.mean), default=None)
    if best is None or best.share is None:
        return f"{sentence}."
    of = "that" if best.documents == len(exact) else f"the bound on its {format_count(best.documents, 'document')}"
    sentence += f"; the best system, {in_one_line(best.system)},"
    if best.share > 1:
        return f"{sentence} exceeds {of} ({best.mean:.3f}): it is not limited to extracts{such}."
    return f"{sentence} reaches {best.share:.0%} of {of} ({best.mean:.3f})."
