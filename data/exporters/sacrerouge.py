"""A folder of SacreROUGE: `instances.jsonl`, human ratings in `judgments.jsonl`, metrics' scores in `metrics.jsonl`.

Names of ratings and metrics are kept unchanged; SacreROUGE would join nested ones by underscores.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from relevance.data.export import format_json_lines
from relevance.data.exporters.refusal import refuse
from relevance.data.files import write_whole
from relevance.data.importers.sacrerouge import JUDGMENTS, PEER, REFERENCE, SUFFIX
from relevance.data.reading import Say
from relevance.data.records import REFERENCE_SYSTEM, Document, Summary

Record = tuple[Document, list[Summary]]


def save(records: Sequence[Record], path: Path, say: Say) -> None:
    """Write a folder."""
    path.mkdir()
    write_whole(path / f"instances{SUFFIX}", format_json_lines(instances_of(records)))
    # The file of ratings is written even if there are none: it shows that all others are scores.
    write_whole(path / f"{JUDGMENTS}{SUFFIX}", format_json_lines(said_of(records, of_people=True)))
    write_whole(path / f"metrics{SUFFIX}", format_json_lines(said_of(records, of_people=False)))


def instances_of(records: Sequence[Record]) -> Iterator[dict[str, Any]]:
    """Yield a line for each summary; for a document without any, one for each reference. Raises `CannotBeHeld`."""
    for document, summaries in records:
        source = list(document.source) if isinstance(document.source, tuple) else document.source
        of_document = {"document": {"text": source}} if source else {}
        references = [{"text": text} for text in document.references]
        for summary in summaries:
            yield {
                **key_of(document, summary.system, PEER),
                **of_document,
                "summary": {"text": summary.text},
                "references": references,
            }
        if not summaries and not references:
            refuse("sacrerouge", document.id, "it has neither summaries nor references")
        for number, reference in enumerate([] if summaries else references, 1):
            others = references[: number - 1] + references[number:]
            of_person = key_of(document, f"{REFERENCE_SYSTEM}{number}", REFERENCE)
            yield {**of_person, **of_document, "summary": reference, "references": others}


def said_of(records: Sequence[Record], *, of_people: bool) -> Iterator[dict[str, Any]]:
    """Yield a line for each summary that has human ratings, or scores of metrics."""
    for document, summaries in records:
        for summary in summaries:
            if values := dict(summary.human if of_people else summary.given):
                yield {**key_of(document, summary.system, PEER), "metrics": values}


def key_of(document: Document, name: str, kind: str) -> dict[str, str]:
    """Return the fields that identify a line's summary."""
    return {"instance_id": document.id, "summarizer_id": name, "summarizer_type": kind}
