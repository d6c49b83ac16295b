"""The sentences of a document, in its own words and spacing."""

from collections.abc import Iterable

from relevance.data.records import Document
from relevance.metrics.sentences import sentence_spans

LONG = 100
"""Words above which a text is hardly one sentence."""


def sentences_of(document: Document) -> list[str]:
    """Return a document's sentences, stripped, none blank: the given ones, otherwise those of `split_sentences`."""
    if isinstance(document.source, str):
        return split_sentences(document.source)
    return [sentence for given in document.source if (sentence := given.strip())]


def split_sentences(text: str) -> list[str]:
    """Split a text into its sentences, verbatim (`relevance.metrics.sentences`)."""
    return [text[start:end] for start, end in sentence_spans(text)]


def keep_sentences(text: str, most: int | None, *, cut: bool) -> tuple[str, bool]:
    """Keep the first sentences of a model's output, all with None; also return whether what is kept was cut.

    `cut` says whether a limit ended the output. Sentences in front of the last one were complete by then.
    """
    if most is None:
        return text, cut
    sentences = split_sentences(text)
    return " ".join(sentences[:most]), cut and len(sentences) <= most


def unsplit(documents: Iterable[Document]) -> list[str]:
    """List the ids of documents whose source is a text of over `LONG` words in which only one sentence was found."""
    return [
        document.id
        for document in documents
        if isinstance(document.source, str)
        and len(document.source.split(maxsplit=LONG)) > LONG
        and len(split_sentences(document.source)) == 1
    ]


def unsplit_words(unsplit: int, documents: int) -> str:
    """Describe the number of documents that are one long sentence, as plain text; empty if there are none."""
    if not unsplit:
        return ""
    which = "this document is" if documents == 1 else f"{unsplit} of {documents} documents are"
    each = "" if documents == 1 else " each"
    return (
        f"{which} one sentence of over {LONG} words{each}, as no sentence end was found: an extract has all of it or "
        "nothing. Where there are sentences, give `source` as a list of them."
    )
