"""Summaries that are hardly ones, as language models write them: what annotators should not be asked to judge."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence

from relevance.data.model_answers import ANNOUNCED, REFUSED, read_summary, strip_announcement, strip_reasoning
from relevance.data.one_line import cut, in_one_line
from relevance.data.records import Document, Summary, fold_text, is_of_people

QUOTED = 120
"""The most characters of a summary that is quoted."""

NAMED = 3
"""The most systems that a sentence names."""

ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"')\]]+|[\w.+-]+@[\w-]+\.[\w.]+", re.IGNORECASE)
"""An address on the web or of mail."""

ADDRESSED = re.compile(
    r"\b(?:let me know if|i hope (?:this|that|it) helps|feel free to"
    r"|if you (?:have any|would like|need) (?:more|further|any|me|other|additional)|would you like me to"
    r"|is there anything else)\b",
    re.IGNORECASE,
)
"""Phrases of a chat that address its user."""

CHAT = re.compile(
    r"<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"
    r"|^(?:###|\*\*)? ?(?:Instruction|Response|Assistant|Human|User)\b\**:",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks between the turns of a conversation."""

INSTRUCTION = re.compile(
    r"\b(?:generate|write|provide|give me) an? (?:\w+ ){0,3}summary of the (?:following|above|given)\b"
    r"|^summari[sz]e (?:the|this)\b",
    re.IGNORECASE,
)
"""An instruction to summarize."""

REPEATED = 3
"""How often a sentence or six words in a row stand in a text that repeats itself."""

WORDS = 6
"""The words in a row that count as repeated."""


def suspicions(text: str, source: str) -> Iterator[str]:
    """Yield what is suspicious of a summary of a source, as a verb of "summaries"; nothing of most.

    >>> list(suspicions("A summary of the document can be:", "A bridge was built."))
    ['only announce a summary']
    >>> list(suspicions("See www.bridges.example for more.", "A bridge was built."))
    ['have an address that their document does not have']
    """
    read = read_summary(text)
    if not text.strip():
        return  # they are counted as empty
    if strip_reasoning(text) != text:
        yield "have a model's reasoning"
    if read.reason:
        if read.reason.startswith(REFUSED):
            yield "refuse to summarize"
        elif read.reason.startswith(ANNOUNCED):
            yield "only announce a summary"
    elif strip_announcement(text) != text.strip():
        yield "begin with an announcement"
    if has_unknown_address(text, source):
        yield "have an address that their document does not have"
    if ADDRESSED.search(text) and not ADDRESSED.search(source):
        yield "speak to a user"
    if CHAT.search(text) and not CHAT.search(source):
        yield "have marks of a chat"
    if INSTRUCTION.search(text) and not INSTRUCTION.search(source):
        yield "repeat the instruction"
    if repeats_itself(text):
        yield "repeat themselves"


def has_unknown_address(text: str, source: str) -> bool:
    """Tell whether a text has an address that its source does not have, however the source breaks it."""
    if not any(mark in text.lower() for mark in ("://", "www.", "@")):
        return False  # nearly all texts: looking for addresses takes longer
    known = "".join(source.lower().split())
    return any(host_of(address) not in known for address in ADDRESS.findall(text))


def host_of(address: str) -> str:
    """Return what must stand in the source for an address to be known: its host, or the address of mail."""
    bare = re.sub(r"^(?:https?://)?(?:www\.)?", "", address.lower())
    return bare if "@" in bare else bare.partition("/")[0].strip(".,;:")


def repeats_itself(text: str) -> bool:
    """Tell whether some words in a row stand in a text `REPEATED` times or more, without overlapping."""
    words = text.lower().split()
    if len(words) - len(set(words)) < WORDS * (REPEATED - 1):
        return False  # nearly all texts: too few words are there twice
    counts: Counter[tuple[str, ...]] = Counter()
    last: dict[tuple[str, ...], int] = {}
    for place in range(len(words) - WORDS + 1):
        row = tuple(words[place : place + WORDS])
        if place >= last.get(row, -WORDS) + WORDS:
            last[row] = place
            counts[row] += 1
            if counts[row] >= REPEATED:
                return True
    return False


class SuspiciousSummaries:
    """Counts of a corpus' suspicious summaries, with an example of each kind."""

    def __init__(self) -> None:
        self.documents = 0
        self.summaries = 0
        self.systems: dict[str, Counter[str]] = {}
        """The number of summaries of each system, by what is suspicious of them."""
        self.examples: dict[str, str] = {}
        self.texts: dict[tuple[str, str], str] = {}
        """By system and folded text: the first document with it."""

    def add(self, document: Document, summaries: Sequence[Summary]) -> None:
        """Look at a document's summaries, without those that people wrote."""
        self.documents += 1
        source = document.source_text
        for summary in summaries:
            if is_of_people(summary.system):
                continue
            self.summaries += 1
            for kind in suspicions(summary.text, source):
                self.count(kind, document, summary)
            if summary.text.strip():
                first = self.texts.setdefault((summary.system, fold_text(summary.text)), source)
                if first != source:
                    self.count("are also those of another document", document, summary)

    def count(self, kind: str, document: Document, summary: Summary) -> None:
        """Count a suspicious summary."""
        self.systems.setdefault(kind, Counter())[summary.system] += 1
        quoted = f'"{cut(summary.text.strip(), QUOTED)}" of document {in_one_line(document.id)}'
        self.examples.setdefault(kind, f"{quoted} by {in_one_line(summary.system)}")

    def describe(self, first: int | None = None) -> list[str]:
        """Say what is suspicious, the most frequent kind first. `first` is the most documents that were looked at."""
        limit = "" if first is None or self.documents < first else f" of the first {first:,} documents"
        ranked = sorted(self.systems.items(), key=lambda item: (-item[1].total(), item[0]))
        return [
            f"suspicious: {systems.total():,} of {self.summaries:,} summaries{limit} {kind} "
            f"({list_systems(systems)}), such as {self.examples[kind]}"
            for kind, systems in ranked
        ]


def list_systems(systems: Counter[str]) -> str:
    """List systems with their numbers, the highest first."""
    ranked = sorted(systems.items(), key=lambda item: (-item[1], item[0]))
    more = f" and {len(ranked) - NAMED} more systems" if ranked[NAMED:] else ""
    return ", ".join(f"{count:,} by {in_one_line(name)}" for name, count in ranked[:NAMED]) + more


def describe_suspicious(
    records: Iterable[tuple[Document, Sequence[Summary]]], systems: Collection[str] = (), first: int | None = None
) -> list[str]:
    """Return the sentences of `SuspiciousSummaries` about some records, none if nothing is suspicious.

    Summaries are those of the given systems, or of all. `first` is the most documents that were looked at.
    """
    suspicious = SuspiciousSummaries()
    for document, summaries in records:
        suspicious.add(document, [summary for summary in summaries if not systems or summary.system in systems])
    return suspicious.describe(first)
