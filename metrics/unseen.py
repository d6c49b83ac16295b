"""Warnings beside scores: letters that metrics do not see, and texts that are wrongly taken for English."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice

from relevance.data.records import Document, Summary
from relevance.data.signatures import Signature
from relevance.data.signatures import name_of as plain_name
from relevance.metrics.languages import unseen_letters

ENGLISH_ONLY = ("carouge", "apes")
"""The metrics that read English only."""

LOOKED_AT = 1000
"""The number of documents of a large data set whose letters are counted."""

Records = Iterable[tuple[Document, Sequence[Summary]]]


def warnings_of(records: Records, signatures: Iterable[str]) -> list[str]:
    """Return warnings about metrics, given by signature, that cannot read the letters of summaries and references.

    There is none if at most a tenth of all letters is outside a-z, or if no such metric is among the signatures; then
    no record is read.
    """
    return warnings_of_texts(texts_of(records), signatures)


def warnings_of_first(
    records: Records, signatures: Iterable[str], name_of: Callable[[str], str] = plain_name
) -> list[str]:
    """Return the warnings of `warnings_of` for the first `LOOKED_AT` documents alone; the text says so."""
    where = f"summaries and references (of {LOOKED_AT:,} documents at most)"
    return warnings_of_texts(texts_of(islice(records, LOOKED_AT)), signatures, where, name_of)


def texts_of(records: Records) -> Iterable[str]:
    """Return the texts that metrics compare."""
    return (
        text
        for document, summaries in records
        for text in (*document.references, *(summary.text for summary in summaries))
    )


def warnings_of_texts(
    texts: Iterable[str],
    signatures: Iterable[str],
    where: str = "summaries and references",
    name_of: Callable[[str], str] = plain_name,
) -> list[str]:
    """Return the warnings of `warnings_of` for texts, named by `where`; `name_of` names a signature's metric."""
    read = [(Signature.parse(signature), name_of(signature)) for signature in signatures]
    blind = [name for one, name in read if one.values.get("tok") == "a-z0-9"]
    english = [
        name for one, name in read if one.name in ENGLISH_ONLY or (one.name == "rouge_k" and "lang" not in one.values)
    ]
    if not (blind or english) or not (unseen := unseen_letters(texts, where)):
        return []
    warnings = [f"{', '.join(blind)}: {unseen}"] if blind else []
    if english:
        warnings.append(f"{', '.join(english)}: texts are taken for English, but many of their letters are outside a-z")
    return warnings
