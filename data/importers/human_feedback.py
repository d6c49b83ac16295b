"""The comparisons that come with "Learning to summarize from human feedback" (Stiennon et al. 2020).

A comparison a line: `info` (`id`, `post` or `article`, `title`), two `summaries` (`text`, `policy`), the `choice` 0 or
1, and the `worker`.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from relevance.data import reading
from relevance.data.importers.pairwise import LEFT, RIGHT, Comparison, records_of
from relevance.data.reading import FileLine, Say, quote_value, read_json
from relevance.data.records import Document, Summary

FIELDS = {"info", "summaries", "choice"}
"""Fields by which a record is recognized."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the posts and summaries of a file. Raises `BadRecord`."""
    return records_of(read, path, say)


def read(path: Path, say: Say) -> Iterator[Comparison]:
    """Read a file of comparisons; a summary's system is its policy.

    The human reference (policy `ref`) is a system like others, as it was compared like others, and no reference of
    metrics. Workers' confidence and notes are not read. Raises `BadRecord`.
    """
    for place, record in read_json(path):
        summaries = reading.objects(place, reading.require_field(place, record, "summaries"), "summaries")
        if len(summaries) != 2:
            place.refuse(f"summaries must be the two that were compared, not {len(summaries)}")
        choice = reading.require_field(place, record, "choice")
        if type(choice) is not int or choice not in {0, 1}:
            place.refuse(f"choice must be 0 or 1, not {quote_value(choice)}")
        (left, first), (right, second) = (read_summary(place, *numbered) for numbered in enumerate(summaries))
        worker = record.get("worker")
        yield Comparison(
            place,
            read_document(place, reading.require_field(place, record, "info")),
            (left, right),
            (first, second),
            (LEFT, RIGHT)[choice],
            None if worker is None else reading.identifier(place, worker, "worker"),
            None,
        )


def read_summary(place: FileLine, index: int, summary: dict[str, Any]) -> tuple[str, str]:
    """Read the policy and text of a summary."""
    name = f"summaries[{index}]"
    policy = reading.identifier(place, reading.require_field(place, summary, "policy"), f"{name}.policy")
    return policy, reading.summary_text(place, reading.require_field(place, summary, "text"), f"{name}.text")


def read_document(place: FileLine, info: object) -> Document:
    """Read the post or article that was summarized."""
    if not isinstance(info, dict):
        place.refuse(f"info must be an object, not {reading.kind(info)}")
    key = next((key for key in ("post", "article") if info.get(key) is not None), "post")
    return Document(
        id=reading.identifier(place, reading.require_field(place, info, "id"), "info.id"),
        source=reading.text(place, reading.require_field(place, info, key), f"info.{key}"),
        references=(),
        title=reading.optional_text(place, info.get("title"), "info.title"),
    )
