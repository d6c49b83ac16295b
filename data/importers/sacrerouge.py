"""SacreROUGE (Deutsch & Roth 2020): summaries in lines of `instances`, their ratings and scores in lines of `metrics`.

An instance is `{"instance_id", "summarizer_id", "summarizer_type", "summary": {"text"}, "references": [{"text"}],
"documents": [{"text"}]}`, or has `reference` or `document` if there is only one; texts are strings, or lists of
sentences. A line of metrics is `{"instance_id", "summarizer_id", "summarizer_type", "metrics": {...}}`, in which
metrics may be nested: `{"rouge-1": {"recall": 0.3}}` is `rouge-1.recall`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from relevance.data import reading
from relevance.data.reading import FileLine, Say
from relevance.data.records import BadRecord, Document, Summary

SUFFIX = ".jsonl"
TOLD_BY = (f"*metrics*{SUFFIX}", f"*judgments*{SUFFIX}")
"""Files by which a folder is recognized."""
INSTANCE = {"instance_id", "summarizer_id", "summary"}
METRICS = {"instance_id", "summarizer_id", "metrics"}
PEER, REFERENCE = "peer", "reference"
RATINGS = {
    *("expert", "turker", "hter", "overall", "grammar", "redundancy", "generic_quality", "grade", "length_aware_grade"),
    *("content_responsiveness", "overall_responsiveness", "responsiveness", "linguistic_quality", "usefulness"),
    *("pyramid_score", "modified_pyramid_score", "modified_pyramid_score_jk", "litepyramid_recall"),
    *("num_scus", "num_scus_jk", "num_repetitions"),
}
"""Human ratings in the data sets that SacreROUGE sets up: names of metrics, or of the outer object of nested ones."""
JUDGMENTS = "judgments"
"""A part of the name of files in which all metrics are human ratings; other files then have none."""
DEEPEST = 8
"""The most levels of nested metrics, and of nested lists of texts."""

Key = tuple[str, str]
"""An instance and a summarizer."""


@dataclass(slots=True)
class Instance:
    """The lines of one instance."""

    source: str | tuple[str, ...] = ""
    references: tuple[str, ...] = ()
    summaries: dict[str, str] = field(default_factory=dict)
    """By system."""
    people: dict[str, str] = field(default_factory=dict)
    """Summaries by people, by their names."""


@dataclass(slots=True)
class SummaryValues:
    """Ratings and scores of one summary."""

    place: FileLine
    """The first line with any."""
    human: dict[str, float] = field(default_factory=dict)
    given: dict[str, float] = field(default_factory=dict)


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read a file of instances, or all files of a folder, with the metrics among them.

    Metrics in files with `judgments` in their names are ratings. Without such files, ratings are the metrics in
    `RATINGS`, and lists of several annotators' values, of which the mean is taken. Summaries by people are used only as
    references, of instances whose lines have none. If lines of an instance have different references or documents, the
    first ones are used.
    """
    instances: dict[str, Instance] = {}
    by_summary: dict[Key, SummaryValues] = {}
    differing = 0
    paths = files(path)
    told = any(JUDGMENTS in file.name for file in paths)
    for file in paths:
        for place, record in reading.read_json_lines(file):
            if record.keys() >= INSTANCE:
                differing += add_instance(place, record, instances)
            elif not record.keys() >= METRICS:
                place.refuse(f"each line must have {', '.join(sorted(INSTANCE))}, or {', '.join(sorted(METRICS))}")
            if "metrics" in record:
                add_metrics(place, record, by_summary, JUDGMENTS in file.name if told else None)
    check_metrics(instances, by_summary, path)
    if differing:
        say(f"lines whose texts are not used, as an earlier line of their instance has different ones: {differing}")
    if people := sum(name in instances[document].people for document, name in by_summary):
        say(f"human summaries whose ratings and scores are skipped, as they are references: {people}")
    for document_id, instance in instances.items():
        summaries = []
        for system, text in instance.summaries.items():
            of_summary = by_summary.get((document_id, system))
            human, given = (of_summary.human, of_summary.given) if of_summary else ({}, {})
            summaries.append(Summary(document_id, system, text, human, given=tuple(given.items())))
        references = instance.references or tuple(text for text in instance.people.values() if text.strip())
        yield Document(document_id, instance.source, references), summaries


def files(path: Path) -> list[Path]:
    """List the file, or those of a folder."""
    if not path.is_dir():
        return [path]
    if paths := sorted(path.rglob(f"*{SUFFIX}")):
        return paths
    raise BadRecord(f"{path}: there are no {SUFFIX} files in it")


def add_instance(place: FileLine, record: dict[str, Any], instances: dict[str, Instance]) -> bool:
    """Add a summary to its instance; return whether its line has other texts than an earlier one."""
    document_id, name, by_people = read_key(place, record)
    summary = as_text(read_text(place, record["summary"], "summary"))
    of_document = read_all(place, record, "document")
    source = of_document[0] if len(of_document) == 1 else "\n\n".join(map(as_text, of_document))
    references = tuple(
        text for reference in read_all(place, record, "reference") if (text := as_text(reference)).strip()
    )
    instance = instances.setdefault(document_id, Instance())
    if name in instance.summaries or name in instance.people:
        place.refuse(
            f"the summary of {reading.quote_value(name)} of {reading.quote_value(document_id)} stands twice; import a "
            "folder in which each stands once"
        )
    (instance.people if by_people else instance.summaries)[name] = summary
    instance.source = instance.source or source
    if by_people:  # its references are all others
        return source not in ("", instance.source)
    instance.references = instance.references or references
    return source not in ("", instance.source) or references not in ((), instance.references)


def read_key(place: FileLine, record: dict[str, Any]) -> tuple[str, str, bool]:
    """Read the instance, the summarizer, and whether that is a person."""
    kind = record.get("summarizer_type", PEER)
    if kind not in (PEER, REFERENCE):
        place.refuse(f"summarizer_type must be {PEER} or {REFERENCE}, not {reading.quote_value(kind)}")
    return (
        reading.identifier(place, record["instance_id"], "instance_id"),
        reading.identifier(place, record["summarizer_id"], "summarizer_id"),
        kind == REFERENCE,
    )


def read_all(place: FileLine, record: dict[str, Any], name: str) -> list[str | tuple[str, ...]]:
    """Read the texts of `document` or `documents`, or of `reference` or `references`."""
    if name in record:
        return [read_text(place, record[name], name)]
    several = f"{name}s"
    return [
        read_text(place, text, f"{several}[{index}]")
        for index, text in enumerate(reading.objects(place, record.get(several, []), several))
    ]


def read_text(place: FileLine, value: object, name: str) -> str | tuple[str, ...]:
    """Read the `text` of an object: a string, or its sentences."""
    if not isinstance(value, dict):
        place.refuse(f"{name} must be an object with a text, not {reading.kind(value)}")
    text = reading.require_field(place, value, "text")
    if not isinstance(text, list):
        return reading.summary_text(place, text, f"{name}.text")
    return tuple(read_sentences(place, text, f"{name}.text"))


def read_sentences(place: FileLine, values: list[Any], name: str, depth: int = 1) -> Iterator[str]:
    """Yield the sentences of nested lists, without blank ones."""
    if depth > DEEPEST:
        place.refuse(f"{name} has lists nested over {DEEPEST} deep")
    for value in values:
        if isinstance(value, list):
            yield from read_sentences(place, value, name, depth + 1)
        elif sentence := reading.optional_text(place, value, name):
            yield sentence


def as_text(text: str | tuple[str, ...]) -> str:
    """Return a text, or its sentences in a line each."""
    return text if isinstance(text, str) else "\n".join(text)


def add_metrics(
    place: FileLine, record: dict[str, Any], summary_values: dict[Key, SummaryValues], of_people: bool | None
) -> None:
    """Add a line's ratings and scores of a summary; if `of_people` is None, each metric's name or value decides."""
    document_id, name, _ = read_key(place, record)
    of_summary = summary_values.setdefault((document_id, name), SummaryValues(place))
    if not isinstance(record["metrics"], dict):
        place.refuse(f"metrics must be an object of numbers, not {reading.kind(record['metrics'])}")
    for metric, value in flatten(place, record["metrics"], ()):
        several = isinstance(value, list)
        number = read_mean(place, value, metric) if several else reading.parse_number(place, value, metric)
        by_itself = several or metric in RATINGS or metric.partition(".")[0] in RATINGS
        rated = by_itself if of_people is None else of_people
        kept = of_summary.human if rated else of_summary.given
        if kept.setdefault(reading.identifier(place, metric, "the name of a metric"), number) != number:
            place.refuse(f"{metric} of {reading.quote_value(name)} has another value before, {of_summary.place}")


def flatten(place: FileLine, metrics: dict[str, Any], above: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """Yield the metrics by their names, with those of the outer objects before their own."""
    if len(above) > DEEPEST:
        place.refuse(f"metrics are nested over {DEEPEST} deep")
    for name, value in metrics.items():
        if isinstance(value, dict):
            yield from flatten(place, value, (*above, name))
        elif value is not None:
            yield ".".join((*above, name)), value


def read_mean(place: FileLine, values: list[Any], name: str) -> float:
    """Return the mean of several annotators' values."""
    if not values:
        place.refuse(f"{name} is an empty list")
    return fmean(reading.parse_number(place, value, name) for value in values)


def check_metrics(instances: dict[str, Instance], summary_values: dict[Key, SummaryValues], path: Path) -> None:
    """Refuse metrics of summaries that do not exist. Raises `BadRecord`."""
    for (document_id, name), of_summary in summary_values.items():
        instance = instances.get(document_id)
        if instance is None or (name not in instance.summaries and name not in instance.people):
            whole = "" if path.is_dir() else "; name the folder that has its summaries, too"
            of_summary.place.refuse(
                f"there is no summary of {reading.quote_value(name)} of {reading.quote_value(document_id)}{whole}"
            )
