"""Tables of ranks, and of the best and the worst of several summaries, which say whom somebody prefers in each pair.

A table may have a row for each summary, with its `rank` (or `rank.QUESTION`, several) and who gave it, or a row for
each judgment, with the summaries side by side (`summary.SYSTEM`) and the rank of each (`rank.SYSTEM`), or the `best`
and the `worst` of them. A lower rank is better, and the same rank is a tie. The best is preferred to every other
summary, and every other to the worst; two that are both named best, or both worst, are a tie. Of two that are neither
best nor worst nothing is said, so that they do not make a pair.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.importers.called import ANNOTATOR, WIDE, find_roles, leave_out
from relevance.data.importers.choices import TELLING, RowReader
from relevance.data.importers.columns import complete_columns, describe_columns
from relevance.data.importers.given_ratings import Annotated
from relevance.data.importers.mapping import (
    BEST,
    NOTHING,
    OF_SYSTEM,
    RANK,
    WORST,
    BadColumns,
    Columns,
    Keep,
    keep_nothing,
)
from relevance.data.importers.meanings import NOUN
from relevance.data.importers.opening import open_table
from relevance.data.importers.pairwise import (
    LEFT,
    ONLY,
    RIGHT,
    TIE,
    Comparison,
    JudgedPairs,
    Question,
    check_not_empty,
    count,
    fold,
    gather,
)
from relevance.data.importers.rank_columns import ORDINAL, PLACES, find_others, find_rank_roles, is_of_ranks
from relevance.data.importers.rows import Table, TableRow, as_text
from relevance.data.importers.table import blank, list_names, read_rows
from relevance.data.importers.table import gather as gather_table
from relevance.data.reading import FileLine, Say, list_some, quote_value
from relevance.data.records import Document, Summary

SHORT = re.compile(rf"(?:the )?{NOUN}[ _-]?(.+)")
"""A side with a noun before it: `Summary A`."""
BETWEEN = re.compile(r"\s*(?:[,;|/&+]|\band\b)\s*")
"""The separators of several names that are best."""


class Candidate(NamedTuple):
    """One of the summaries that somebody compared."""

    key: str
    """Its name in the roles of its columns."""
    system: str
    text: str | None
    """None in a table without texts."""
    column: str
    place: int
    """The number of its column among those of summaries, from 0."""


def read_rank(place: FileLine, value: object, column: str) -> float | None:
    """Read a rank, such as 2 or `2nd`; None for a missing one. Raises `BadRecord`."""
    if reading.is_missing(value):
        return None
    match = ORDINAL.fullmatch(as_text(value))
    if isinstance(value, bool) or match is None:
        given = quote_value(str(value))
        place.refuse(f"{column} must be a rank such as 1 or 2nd, not {given}; correct it, or leave it blank")
    return float(match[1])


def prefer_lower(first: float, second: float) -> str:
    """Return the choice between two ranks, of which the lower one is better."""
    return LEFT if first < second else RIGHT if second < first else TIE


def load(
    path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing
) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the documents and summaries of a table of ranks, as `read_ranks` does."""
    yield from read_ranks(path, say, columns, keep).records


def read_ranks(path: Path, say: Say, columns: Columns | None = None, keep: Keep = keep_nothing) -> JudgedPairs:
    """Read a table of ranks, or of the best and the worst, as pairs. `keep` gets the columns as they are read.

    Raises `BadRecord` and `BadColumns`.
    """
    columns = columns or NOTHING
    table = open_table(path, columns)
    told = columns.find(table.names)
    free = leave_out(table.names, told.values())
    rows = table.head()
    guessed = find_rank_roles(free, rows) if columns.guess else {}
    guessed = {role: name for role, name in guessed.items() if role not in told}
    if "system" in told or (columns.guess and "system" in find_roles(free, rows)):
        judged = read_long(path, say, table, columns, guessed, keep)
    else:
        judged = read_wide(path, say, table, columns, guessed, keep)
    return check_not_empty(judged, path)


def read_long(
    path: Path, say: Say, table: Table, columns: Columns, guessed: Mapping[str, str], keep: Keep
) -> JudgedPairs:
    """Read a table with a row for each summary and who ranked it; its documents, summaries and ratings are kept."""
    if not any(is_of_ranks(role) for role in (*columns.roles, *guessed)):
        FileLine(path, 1).refuse(
            f"no column has ranks; there are {list_names(table.names)}", f"; say which by --columns {RANK}=COLUMN"
        )
    if shown := [role for role in columns.roles if role.partition(".")[0] in (BEST, WORST)]:
        raise BadColumns(f"{', '.join(shown)} goes with a row for each judgment; a row for each summary has ranks")
    complete = complete_columns(path, columns, say, cells=False, suggested=guessed)
    keep(complete)
    annotated = Annotated()
    ranked = Ranked(complete.find(table.names), annotated)
    if "summary" not in complete.roles:
        for place, row in table.read(set(ranked.roles.values()), say):
            ranked.add(place, {role: row.get(name) for role, name in ranked.roles.items()})
        return gather(ranked.compare({}, {}, say))
    rows = read_rows(path, say, complete, cells=False, apart=[role for role in complete.roles if is_of_ranks(role)])
    records = list(gather_table(ranked.watch(rows), say, complete, annotated=annotated))
    documents = {document.id: document for document, _ in records}
    texts = {(document.id, summary.system): summary.text for document, written in records for summary in written}
    return gather(ranked.compare(documents, texts, say))._replace(records=records)


class Ranked:
    """The ranks of a table with a row for each summary, by question, annotator and document."""

    def __init__(self, roles: Mapping[str, str], annotated: Annotated) -> None:
        self.roles, self.annotated = roles, annotated
        self.questions = {role: Question(role.partition(".")[2]) for role in roles if is_of_ranks(role)}
        self.groups: dict[tuple[str, str | None, str], dict[str, tuple[float, FileLine]]] = {}
        """The rank of each system, and its line."""
        self.missing = 0

    def watch(self, rows: Iterable[TableRow]) -> Iterator[TableRow]:
        """Yield rows without their ranks, which are kept; a row with several references comes several times."""
        before = None
        for place, row in rows:
            if place is not before:
                self.add(place, row)
            before = place
            yield place, {role: value for role, value in row.items() if role not in self.questions}

    def add(self, place: FileLine, row: Mapping[str, Any]) -> None:
        """Add the ranks of a row. Raises `BadRecord`."""
        if blank(row["system"]):  # a row that gives a document or a reference
            return
        who = row.get(ANNOTATOR)
        judge = None if reading.is_missing(who) else self.annotated.name(reading.identifier(place, who, ANNOTATOR))
        system = reading.identifier(place, row["system"], "system")
        document = reading.identifier(place, row["document_id"], "document_id")
        for role in self.questions:
            rank = read_rank(place, row.get(role), self.roles[role])
            if rank is None:
                self.missing += 1
                continue
            group = self.groups.setdefault((role, judge, document), {})
            known, first = group.setdefault(system, (rank, place))
            if first is not place and (known != rank or "reference" not in row):  # the same beside another reference
                by = "" if judge is None else f" by {quote_value(str(who))}"
                how = f"; if several people ranked it, say who by --columns {ANNOTATOR}=COLUMN" if judge is None else ""
                place.refuse(
                    f"the system {quote_value(system)} is ranked twice for {quote_value(document)}{by}, in "
                    f"{first.beside(place)}, too",
                    how,
                )

    def compare(
        self, documents: Mapping[str, Document], texts: Mapping[tuple[str, str], str], say: Say
    ) -> Iterator[Comparison]:
        """Yield a comparison for each two that somebody ranked; without texts, documents have only their ids."""
        if self.missing:
            say(
                f"{count(self.missing, 'rank')} missing (blank, null, NaN or N/A): these summaries are in no pair there"
            )
        for (role, judge, document), group in self.groups.items():
            for (first_key, (first, place)), (second_key, (second, _)) in combinations(group.items(), 2):
                shown = (texts[document, first_key], texts[document, second_key]) if texts else None
                about = documents.get(document, Document(document, "", ()))
                choice, question = prefer_lower(first, second), self.questions[role]
                yield Comparison(place, about, (first_key, second_key), shown, choice, judge, None, None, question)


def read_wide(path: Path, say: Say, table: Table, columns: Columns, guessed: dict[str, str], keep: Keep) -> JudgedPairs:
    """Read a table with a row for each judgment of summaries side by side."""
    told = columns.find(table.names)
    free = leave_out(table.names, [*told.values(), *guessed.values()])
    others = find_others(free, table.head(), told) if columns.guess else {}
    complete = columns.with_guessed({**others, **guessed}, table.names)
    roles = complete.find(table.names)
    check_wide(path, table, roles)
    say(describe_columns(roles, {*others, *guessed} - set(columns.roles)))
    if passed := leave_out(table.names, roles.values()):
        say(f"columns passed over: {list_names(passed)}")
    keep(complete)
    return gather(WideRows(roles).read(table, say))


def check_wide(path: Path, table: Table, roles: Mapping[str, str]) -> None:
    """Refuse a table without what a judgment needs. Raises `BadRecord`."""
    lacking = []
    if not any(is_of_ranks(role) for role in roles):
        lacking.append(f"{BEST}, {WORST} or {RANK}.SYSTEM")
    shown = sum(role.startswith(WIDE) for role in roles) or sum(role.startswith(f"{RANK}.") for role in roles)
    if shown < 2:
        lacking.append(f"{WIDE}SYSTEM")
    if roles.keys().isdisjoint(TELLING):
        lacking.append(f"{', '.join(TELLING[:-1])} or {TELLING[-1]}")
    if lacking:
        FileLine(path, 1).refuse(
            f"it is not known which column is {' and which is '.join(lacking)}; there are {list_names(table.names)}",
            f"; say it by --columns {lacking[0].split(',')[0]}=COLUMN,...",
        )


class WideRows:
    """Reads the rows of a table whose summaries stand side by side."""

    def __init__(self, roles: Mapping[str, str]) -> None:
        self.roles = roles
        self.texts = {role.removeprefix(WIDE): name for role, name in roles.items() if role.startswith(WIDE)}
        self.ranks = {role.removeprefix(f"{RANK}."): role for role in roles if role.startswith(f"{RANK}.")}
        self.rows = RowReader(roles, with_texts=bool(self.texts))
        self.questions = dict.fromkeys(role.partition(".")[2] for role in roles if role.startswith((BEST, WORST)))
        self.named: Counter[tuple[str, str, str]] = Counter()
        """By column and value: the summary that it was taken for; a system's name or a text as it is."""
        self.unknown: Counter[tuple[str, str]] = Counter()
        """By column: values that name none of the summaries."""
        self.first: FileLine | None = None
        self.contradicted: FileLine | None = None
        """The first row that names a summary best and worst."""
        self.counts: Counter[str] = Counter()

    def read(self, table: Table, say: Say) -> Iterator[Comparison]:
        """Yield the comparisons of all rows, once all of them are known. Raises `BadRecord`."""
        comparisons = []
        for place, cells in table.read(set(self.roles.values()), say):
            row = {role: cells.get(column) for role, column in self.roles.items()}
            shown = self.candidates(place, row)
            document = self.rows.document(place, row)
            judge = None if reading.is_missing(row.get(ANNOTATOR)) else self.rows.name(place, row, ANNOTATOR)
            time = self.rows.time(row.get("time"))
            comment = reading.optional_text(place, row.get("comment"), "the comment")
            compare = partial(self.compare, place, document, judge=judge, time=time, comment=comment)
            if self.ranks:
                comparisons += [compare(*pair, ONLY) for pair in self.by_ranks(place, row, shown)]
            for name in self.questions:
                comparisons += [compare(*pair, Question(name)) for pair in self.by_best(place, row, shown, name)]
        self.check()
        for sentence in self.describe():
            say(sentence)
        yield from comparisons

    def candidates(self, place: FileLine, row: Mapping[str, Any]) -> list[Candidate]:
        """Read the summaries of a row that are there. Raises `BadRecord` for two of one system."""
        candidates: dict[str, Candidate] = {}
        for number, key in enumerate(self.texts or self.ranks):
            value = row.get(f"{WIDE}{key}")
            text = None if value is None else reading.summary_text(place, value, self.texts[key])
            if self.texts and (text is None or not text.strip()):
                self.counts["blank"] += 1
                continue
            named = row.get(f"{OF_SYSTEM}{key}")
            system = key if named is None else reading.identifier(place, named, self.roles[f"{OF_SYSTEM}{key}"])
            if system in candidates:
                place.refuse(f"two of the summaries are by the system {quote_value(system)}: correct one name")
            candidates[system] = Candidate(key, system, text, self.texts.get(key, key), number)
        return list(candidates.values())

    def compare(
        self,
        place: FileLine,
        document: Document,
        left: Candidate,
        right: Candidate,
        choice: str,
        question: Question,
        **details: Any,
    ) -> Comparison:
        """Make a comparison of two of the summaries."""
        texts = None if left.text is None or right.text is None else (left.text, right.text)
        systems = left.system, right.system
        return Comparison(
            place, document, systems, texts, choice, details["judge"], details["time"], details["comment"], question
        )

    def by_ranks(
        self, place: FileLine, row: Mapping[str, Any], shown: Sequence[Candidate]
    ) -> Iterator[tuple[Candidate, Candidate, str]]:
        """Yield every two that have ranks, and which of them is better."""
        ranks = {}
        for candidate in shown:
            role = self.ranks.get(candidate.key)
            rank = None if role is None else read_rank(place, row[role], self.roles[role])
            if rank is None:
                self.counts["unranked"] += 1
            else:
                ranks[candidate] = rank
        for (left, first), (right, second) in combinations(ranks.items(), 2):
            yield left, right, prefer_lower(first, second)

    def by_best(
        self, place: FileLine, row: Mapping[str, Any], shown: Sequence[Candidate], question: str
    ) -> Iterator[tuple[Candidate, Candidate, str]]:
        """Yield every two of which the best or the worst says something, and which of them is better."""
        suffix = f".{question}" if question else ""
        best, worst = (self.find(place, row, shown, f"{role}{suffix}") for role in (BEST, WORST))
        if best & worst:
            self.counts["contradictions"] += 1
            self.contradicted = self.contradicted or place
            return
        if not best and not worst:
            self.counts["unsaid rows"] += 1
            return
        place_of = {
            candidate.key: 0 if candidate.key in best else 2 if candidate.key in worst else 1 for candidate in shown
        }
        for left, right in combinations(shown, 2):
            first, second = place_of[left.key], place_of[right.key]
            if first == second == 1:
                self.counts["unsaid pairs"] += 1
            else:
                yield left, right, prefer_lower(first, second)

    def find(self, place: FileLine, row: Mapping[str, Any], shown: Sequence[Candidate], role: str) -> set[str]:
        """Return the keys of the summaries that a value names. Unknown ones are counted."""
        value = row.get(role)
        if reading.is_missing(value) or value == []:
            return set()
        names = [as_text(name) for name in value] if isinstance(value, list) else [as_text(value)]
        if len(names) == 1 and find_named(place, names[0], shown) is None:
            names = [part for part in BETWEEN.split(names[0]) if part]
        keys = [find_named(place, name, shown) for name in names]
        for name, key in zip(names, keys, strict=True):
            if key is None:
                self.first = self.first or place
                self.unknown[self.roles[role], name] += 1
            elif key.casefold() == name.casefold() or all(each.system.casefold() != name.casefold() for each in shown):
                self.named[self.roles[role], name, key] += 1
        return {key for key in keys if key is not None}

    def check(self) -> None:
        """Refuse a table with values that name none of the summaries. Raises `BadRecord`."""
        if self.first is None:
            return
        column = next(iter(self.unknown))[0]
        values = [f"{quote_value(name)} ({number:,})" for (of, name), number in self.unknown.items() if of == column]
        self.first.refuse(
            f"it is not known which summaries these values of {quote_value(column)} name: {list_some(values)}; there "
            f"are {', '.join(map(quote_value, self.texts or self.ranks))}",
            f"; call the summaries so by --columns {WIDE}NAME=COLUMN,..., or correct the values",
        )

    def describe(self) -> Iterator[str]:
        """Describe which pairs and rows were left out, and why."""
        notes = {
            "unsaid pairs": "pair of two that are neither best nor worst: nothing is said of {}",
            "unsaid rows": "row without the best and the worst: left out",
            "contradictions": f"row with the same summary best and worst (first: {self.contradicted}): left out",
            "unranked": "summary without a rank: in no pair there",
            "blank": "blank text: not compared",
        }
        for what, sentence in notes.items():
            if number := self.counts[what]:
                noun, _, rest = sentence.partition(" ")
                noun = noun if number == 1 else "summaries" if noun == "summary" else f"{noun}s"
                yield f"{number:,} {noun} {rest.format('it' if number == 1 else 'them')}"
        for column in dict.fromkeys(column for column, _, _ in self.named):
            pieces = [
                f"{quote_value(value)} is {quote_value(key)} ({times:,})"
                for (of, value, key), times in self.named.items()
                if of == column
            ]
            yield f"summaries in {quote_value(column)}: {list_some(pieces, '; ')}"
        if self.rows.timeless:
            yield self.rows.describe_timeless()


def find_named(place: FileLine, name: str, shown: Sequence[Candidate]) -> str | None:
    """Return the key of the summary that is called so: by its key, its system, its column, its place or its text.

    Raises `BadRecord` for what names one by its key and another by its system.
    """
    folded = name.casefold()
    names = [folded, *([short[1]] if (short := SHORT.fullmatch(folded)) else [])]
    by_key = {
        candidate.key for candidate in shown if {candidate.key.casefold(), candidate.column.casefold()} & {*names}
    }
    by_system = {candidate.key for candidate in shown if candidate.system.casefold() in names}
    if len(by_key | by_system) > 1:
        place.refuse(f"{quote_value(name)} may mean the summary called so, or that of the system called so")
    if by_key or by_system:
        return next(iter(by_key or by_system))
    by_place = [candidate.key for candidate in shown if {*names} & {*PLACES[candidate.place :: len(PLACES) // 2]}]
    if by_place:
        return by_place[0]
    same = {candidate.key for candidate in shown if candidate.text is not None and fold(candidate.text) == fold(name)}
    return next(iter(same)) if len(same) == 1 else None
