"""The fields of the records in a bundle's files, read strictly."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from relevance.annotation.phases import ENDS, PHASES
from relevance.annotation.records import CHOICES
from relevance.annotation.sampling import RULES
from relevance.data import reading
from relevance.data.export import format_timestamp
from relevance.data.reading import FileLine, quote_value

Kind: TypeAlias = Callable[[FileLine, object, str], Any]
"""A function that reads the value of a field, and raises `BadRecord` for an invalid one."""

Fields: TypeAlias = Mapping[str, Kind]

SIDES = ("first", "second")
"""The summaries of a pair, independent of left and right."""


LATER = {"cleaned": None, "columns": None, "annotated": None, "annotators": None, "both_bad": False}
"""Fields that bundles of earlier versions lack, with their value there."""


def read_fields(place: FileLine, value: object, fields: Fields, name: str = "") -> dict[str, Any]:
    """Read a record with these fields and no others. Raises `BadRecord`."""
    if not isinstance(value, dict):
        place.refuse(f"{name or 'the line'} must be an object, not {reading.kind(value)}")
    inside = f"{name}." if name else ""
    value = {field: before for field, before in LATER.items() if field in fields} | value
    for field in fields.keys() - value.keys():
        place.refuse(f"the field {inside}{field} is missing")
    for field in value.keys() - fields.keys():
        place.refuse(f"the field {quote_value(inside + field)} is not known")
    return {field: kind(place, value[field], inside + field) for field, kind in fields.items()}


def maybe(kind: Kind) -> Kind:
    """Make a reader of values that may be null."""
    return lambda place, value, name: None if value is None else kind(place, value, name)


def many(kind: Kind) -> Kind:
    """Make a reader of lists, which may be empty."""

    def read(place: FileLine, value: object, name: str) -> list[Any]:
        if not isinstance(value, list):
            place.refuse(f"{name} must be a list, not {reading.kind(value)}")
        return [kind(place, item, f"{name}[{index}]") for index, item in enumerate(value)]

    return read


def record(fields: Fields) -> Kind:
    """Make a reader of objects with these fields."""
    return lambda place, value, name: read_fields(place, value, fields, name)


def one_of(*known: str) -> Kind:
    """Make a reader of one of a few words."""

    def read(place: FileLine, value: object, name: str) -> str:
        if value not in known:
            place.refuse(f"{name} must be {' or '.join(known)}")
        return str(value)

    return read


def whole(place: FileLine, value: object, name: str) -> int:
    """Read a whole number from 0, within the range of a database's integer."""
    if type(value) is not int or not 0 <= value < 2**31:
        place.refuse(f"{name} must be a whole number from 0 to 2147483647")
    return value


def flag(place: FileLine, value: object, name: str) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        place.refuse(f"{name} must be true or false")
    return value


def moment(place: FileLine, value: object, name: str) -> datetime:
    """Read a point in time, as `relevance.data.export.format_timestamp` writes it."""
    try:
        parsed = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        parsed = None
    if parsed is None or parsed.tzinfo is None:
        place.refuse(f"{name} must be a time such as 2026-01-31T12:00:00.000000+00:00")
    return parsed


def digest(place: FileLine, value: object, name: str) -> str:
    """Read a SHA-256 in hexadecimal."""
    if not isinstance(value, str) or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        place.refuse(f"{name} must be a SHA-256")
    return value


def candidate(place: FileLine, value: object, name: str) -> tuple[str, str]:
    """Read a summary, identified by its document and system."""
    if not isinstance(value, list) or len(value) != 2:
        place.refuse(f"{name} must be a document and a system")
    document, system = value
    return word(place, document, name), word(place, system, name)


def source(place: FileLine, value: object, name: str) -> str | list[str]:
    """Read a document's source: a text, or its sentences."""
    return texts(place, value, name) if isinstance(value, list) else words(place, value, name)


def answer(place: FileLine, value: object, name: str) -> Any:
    """Read an answer of a survey: a text, a number, or texts."""
    if isinstance(value, int | float):
        return value if isinstance(value, int) else number(place, value, name)
    return source(place, value, name)


def hashes(place: FileLine, value: object, name: str) -> dict[str, str]:
    """Read hashes by name."""
    if not isinstance(value, dict):
        place.refuse(f"{name} must be an object, not {reading.kind(value)}")
    return {
        words(place, key, name): digest(place, digest_given, f"{name}.{key}") for key, digest_given in value.items()
    }


def mark(place: FileLine, value: object, name: str) -> list[Any]:
    """Read a range of a text's characters: the text, its start and its end, which is excluded."""
    if not isinstance(value, list) or len(value) != 3:
        place.refuse(f"{name} must be a text, and two places in it")
    return [words(place, value[0], name), *(whole(place, item, name) for item in value[1:])]


words, word, number = reading.summary_text, reading.identifier, reading.parse_number
texts = many(words)
side = one_of(*SIDES)

PROTOCOL: Fields = {"version": whole, "sha256": digest, "created_at": moment}

REGISTRATION: Fields = {
    "sha256": digest,
    "protocol": whole,
    "contents": hashes,
    "registered_at": moment,
}

DATASET: Fields = {
    "name": word,
    "format": word,
    "sha256": words,
    "aspects": texts,
    "annotated": maybe(texts),
    "cleaned": maybe(words),
    "columns": maybe(words),
    "imported_at": moment,
}

DECISION: Fields = {
    "documents": whole,
    "counted": whole,
    "wealth": number,
    "mean": maybe(number),
    "low": number,
    "high": number,
    "rejected": flag,
}
"""The decision of a stopping rule, as in `StoppingDecision`."""

STUDY: Fields = {
    "name": word,
    "question": words,
    "instructions": words,
    "systems": texts,
    "rule": one_of(*RULES),
    "signature": maybe(words),
    "signatures": maybe(texts),
    "random_share": maybe(number),
    "wanted_pairs": maybe(whole),
    "per_document": maybe(whole),
    "judgments_per_pair": whole,
    "ties": flag,
    "seed": whole,
    "identical": whole,
    "unscored": whole,
    "alike": maybe(whole),
    "eligible": maybe(whole),
    "conflicts": maybe(whole),
    "created_at": moment,
    "closed_at": maybe(moment),
    "paused_at": maybe(moment),
    "in_drawn_order": flag,
    "stopped_at": maybe(moment),
    "decision": maybe(record(DECISION)),
}

WHOLE_STUDY: Fields = {
    "study": record(STUDY),
    "dataset": record(DATASET),
    "protocols": many(record(PROTOCOL)),
    "registrations": many(record(REGISTRATION)),
}
"""The file `study.json`."""

SUMMARY: Fields = {
    "system": word,
    "text": words,
    "human": reading.ratings,
    "annotators": maybe(reading.annotators),
    "remarks": maybe(texts),
    "signature": maybe(words),
}

QUESTION: Fields = {"question": words, "answer": words}

DOCUMENT: Fields = {
    "id": word,
    "title": maybe(words),
    "source": source,
    "references": texts,
    "summaries": many(record(SUMMARY)),
    "questions": many(record(QUESTION)),
}

SCORE: Fields = {
    "document_id": word,
    "system": word,
    "metric": word,
    "signature": words,
    "value": maybe(number),
    "missing": maybe(words),
    "truncated": flag,
}

BOUND: Fields = {
    "document_id": word,
    "signature": words,
    "f1": number,
    "sentences": many(whole),
    "reference": whole,
    "bound": maybe(number),
    "seconds": number,
}

PAIR: Fields = {
    "position": whole,
    "document_id": word,
    "first": candidate,
    "second": candidate,
    "expected": maybe(side),
    "inclusion": maybe(number),
}

CONSENT: Fields = {"sha256": digest, "agreed": flag, "answered_at": moment}

EVENT: Fields = {"event": word, "detail": maybe(words), "happened_at": moment}

TRAINING: Fields = {"attempt": whole, "place": whole, "choice": one_of(*CHOICES), "right": flag, "answered_at": moment}

PERSON: Fields = {
    "annotator": word,
    "invited": flag,
    "phase": one_of(*PHASES, *ENDS),
    "created_at": moment,
    "phase_at": maybe(moment),
    "seen_at": maybe(moment),
    "paused_at": maybe(moment),
    "excluded_at": maybe(moment),
    "exclusion_reason": maybe(words),
    "erased_at": maybe(moment),
    "consent": maybe(record(CONSENT)),
    "events": many(record(EVENT)),
    "training": many(record(TRAINING)),
}

REVISION: Fields = {
    "revision": whole,
    "chosen": maybe(side),
    "presented_at": moment,
    "decided_at": moment,
    "rationale": maybe(words),
    "both_bad": flag,
    "confidence": maybe(whole),
    "marks": maybe(many(mark)),
}

JUDGMENT: Fields = {
    **REVISION,
    "presented_at": maybe(moment),
    "decided_at": maybe(moment),
    "place": whole,
    "earlier": many(record(REVISION)),
}
"""`place` is the position among the study's judgments, in the order in which they were first made."""

ASSIGNMENT: Fields = {
    "annotator": word,
    "pair": whole,
    "left": side,
    "assigned_at": moment,
    "reserved_until": maybe(moment),
    "skipped_at": maybe(moment),
    "skip_reason": maybe(words),
    "judgment": maybe(record(JUDGMENT)),
}

SURVEY_ANSWER: Fields = {"annotator": word, "survey": word, "question": word, "answer": answer, "answered_at": moment}

ADJUDICATION: Fields = {
    "pair": whole,
    "adjudicator": word,
    "chosen": maybe(side),
    "reason": maybe(words),
    "decided_at": moment,
}

MODEL: Fields = {"name": word, "signature": words, "created_at": moment}

MODEL_JUDGMENT: Fields = {
    "model": word,
    "pair": whole,
    "verdict": maybe(one_of(*SIDES, "tie", "orders disagree")),
    "straight": maybe(one_of(*SIDES, "tie")),
    "swapped": maybe(one_of(*SIDES, "tie")),
    "reason": maybe(words),
    "tokens_in": maybe(whole),
    "tokens_out": maybe(whole),
    "cost": maybe(number),
    "answered_by": maybe(words),
    "decided_at": moment,
}


def take(row: object, fields: Fields, **others: Any) -> dict[str, Any]:
    """Return a row's columns as the fields of a record, in their order; `others` are fields that are not columns."""
    return {name: others[name] if name in others else to_plain(getattr(row, name)) for name in fields}


def to_plain(value: Any) -> Any:
    """Return a column's value as a JSON value."""
    return format_timestamp(value) if isinstance(value, datetime) else value
