"""Notices about texts beside their scores: words that metrics break, marks of other programs, and more.

The same is said wherever texts are read or scored: by commands, over shards, in Python, on pages and in reports.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice

import regex

from relevance.data.alike import AlikeNames
from relevance.data.foreign_marks import Marks
from relevance.data.own_references import OwnReferences
from relevance.data.records import Document, Summary
from relevance.data.signatures import Signature, is_against_source
from relevance.data.signatures import name_of as plain_name
from relevance.data.suspicious import SuspiciousSummaries
from relevance.metrics.languages import ENGLISH, LANGUAGES, guess_language
from relevance.metrics.text import UNICODE

ENGLISH_ONLY = ("carouge", "apes", "meteor")
"""The metrics that read English only."""

LOOKED_AT = 1000
"""The number of documents of a large data set whose texts are looked at."""

NOTEWORTHY = 0.01
"""The share of broken words above which a warning says so; English texts have at most .0003 of them."""

IN_ENGLISH = 0.1
"""The same for texts that seem to be English: names may have accents."""

OF_METRICS = ("sources", "words", "line breaks")
"""The kinds of notices that follow from the metrics; the others are of any texts, and are said when these are read."""

ASCII_WORD = regex.compile("[A-Za-z0-9]+")

NAMED_REASONS = 3
"""The most reasons of missing scores that are named."""

Records = Iterable[tuple[Document, Sequence[Summary]]]


class BrokenWords:
    """Counts of the words of texts, and of those that the tokenizer `a-z0-9` breaks or does not see."""

    def __init__(self) -> None:
        self.words = 0
        self.broken = 0
        self.example = ""
        """The first of these words."""
        self.texts: list[str] = []
        """The texts with such words."""

    def add(self, text: str) -> None:
        """Count the words of a text."""
        if text.isascii():
            self.words += len(ASCII_WORD.findall(text))
            return
        words = UNICODE.findall(text)
        broken = [word for word in words if not word.isascii()]
        self.words += len(words)
        self.broken += len(broken)
        if broken:
            self.texts.append(text)
            self.example = self.example or broken[0]

    def describe(self, where: str) -> str:
        """Say how many words are broken, and the way out; empty if so few are that English texts have as many."""
        if self.broken <= NOTEWORTHY * self.words:
            return ""
        likely = guess_language(self.texts)
        if likely == ENGLISH and self.broken <= IN_ENGLISH * self.words:
            return ""
        language = "CODE" if likely in (None, ENGLISH) else f"{likely} ({LANGUAGES[likely].name}?)"
        return (
            f"{self.broken:,} of the {self.words:,} words in {where} have letters outside a-z, such as {self.example}, "
            f"and are broken there or not seen; score by relevance score --language {language}, or --tokenizer unicode"
        )


def describe_words(
    words: BrokenWords, signatures: Iterable[str], where: str, name_of: Callable[[str], str] = plain_name
) -> list[str]:
    """Say which metrics, given by signature, break the words of some texts, and which take them for English."""
    read = [(Signature.parse(signature), name_of(signature)) for signature in signatures]
    blind = ", ".join(dict.fromkeys(name for signature, name in read if signature.values.get("tok") == "a-z0-9"))
    english = ", ".join(dict.fromkeys(name for signature, name in read if reads_english(signature)))
    if not (blind or english) or not (broken := words.describe(where)):
        return []
    notes = [f"{blind}: {broken}"] if blind else []
    if english:
        notes.append(f"{english}: texts are taken for English, but many of their words have letters outside a-z")
    return notes


def describe_missing(reasons: Mapping[str, Mapping[str | None, int]]) -> list[str]:
    """Say by metric how many scores are missing and why; metrics of the same reasons together.

    `reasons` has a metric's number of scores by the reason for which they are missing, which is None if they are not.
    """
    same: dict[str, list[str]] = {}
    for metric, counts in reasons.items():
        ranked = sorted(((count, reason) for reason, count in counts.items() if reason is not None), reverse=True)
        if not ranked:
            continue
        missing, all_scores = sum(count for count, _ in ranked), sum(counts.values())
        listed = "; ".join(f"{reason} ({count:,})" for count, reason in ranked[:NAMED_REASONS])
        more = f"; and {len(ranked) - NAMED_REASONS} other reasons" if ranked[NAMED_REASONS:] else ""
        same.setdefault(f"{missing:,} of {all_scores:,} scores are missing: {listed}{more}", []).append(metric)
    return [f"{', '.join(metrics)}: {notice}" for notice, metrics in same.items()]


def reads_english(signature: Signature) -> bool:
    """Tell whether a metric takes all texts for English."""
    return signature.name in ENGLISH_ONLY or (signature.name == "rouge_k" and "lang" not in signature.values)


def find_notices(
    records: Records,
    signatures: Iterable[str] = (),
    *,
    first: int | None = None,
    name_of: Callable[[str], str] = plain_name,
) -> dict[str, list[str]]:
    """Say what is to be known of texts before their scores are believed, by kind, in one pass over the records.

    The kinds are `sources` that stand in the place of references, `words` that a metric breaks, `line breaks` that it
    needs, `marks` of other programs, `own references`, `names` that look alike, and `suspicious` summaries.
    `signatures` are those of the metrics, and `name_of` names them. If `first` is given, no more documents are looked
    at, and what is said tells so.
    """
    signatures = list(signatures)
    of_source = list(filter(is_against_source, signatures))
    words, marks, own, alike, suspicious = BrokenWords(), Marks(), OwnReferences(), AlikeNames(), SuspiciousSummaries()
    referenced = lines = False
    for document, summaries in islice(records, first):
        referenced = referenced or bool(document.references)
        marks.add(document, summaries)
        own.add(document, summaries)
        alike.add(document, summaries)
        suspicious.add(document, summaries)
        sources = [document.source_text] if of_source else []
        for text in (*document.references, *sources, *(summary.text for summary in summaries)):
            words.add(text)
            lines = lines or "\n" in text
    among = "" if first is None or own.documents < first else f" of the first {first:,} documents"
    compared = "summaries, references and sources" if of_source else "summaries and references"
    notices = {
        "sources": [] if referenced else describe_sources(of_source, among, name_of),
        "words": describe_words(words, signatures, f"{compared}{among}", name_of),
        "line breaks": [] if lines else describe_lines(signatures, name_of),
        "marks": marks.describe(first),
        "own references": own.describe(first),
        "names": alike.describe(),
        "suspicious": suspicious.describe(first),
    }
    return {kind: sentences for kind, sentences in notices.items() if sentences}


def describe_sources(signatures: Iterable[str], among: str, name_of: Callable[[str], str]) -> list[str]:
    """Say which metrics set summaries against their sources, where no document has a reference."""
    names = ", ".join(dict.fromkeys(map(name_of, signatures)))
    return [f"no document{among} has a reference: each summary is set against its source by {names}"] if names else []


def describe_lines(signatures: Iterable[str], name_of: Callable[[str], str]) -> list[str]:
    """Say which metrics read lines, where no text has a line break."""
    read = {name_of(signature): Signature.parse(signature).values for signature in signatures}
    return [
        f"{name}: no summary or reference has a line break, so that each is one sentence, as for ROUGE-L; "
        "relevance score --lsum-sentences split takes the sentences"
        for name, values in read.items()
        if values.get("sentences") == "lines"
    ]
