"""What stands in a bundle's files: the fields of their records, read strictly."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeAlias

from annotation.phases import ENDS, WAY
from annotation.records import CHOICES
from annotation.sampling import RULES
from data import reading
from data.export import format_timestamp
from data.reading import FileLine, quote_value

Kind: TypeAlias = Callable[[FileLine, object, str], Any]
"""Reads a value of a field; raises `BadRecord` for what it cannot be."""

Fields: TypeAlias = Mapping[str, Kind]

SIDES = ("first", "second")
"""The summaries of a pair, which have nothing to do with left and right."""


def read_fields(place: FileLine, value: object, fields: Fields, name: str = "") -> dict[str, Any]:
    """A record with these fields and no others. Raises `BadRecord`."""
    if not isinstance(value, dict):
        place.refuse(f"{name or 'the line'} must be an object, not {reading.kind(value)}")
    inside = f"{name}." if name else ""
    for field in fields.keys() - value.keys():
        place.refuse(f"the field {inside}{field} is missing")
    for field in value.keys() - fields.keys():
        place.refuse(f"the field {quote_value(inside + field)} is not known")
    return {field: kind(place, value[field], inside + field) for field, kind in fields.items()}


def maybe(kind: Kind) -> Kind:
    """A value that may be null."""
    return lambda place, value, name: None if value is None else kind(place, value, name)


def many(kind: Kind) -> Kind:
    """A list, possibly empty."""

    def read(place: FileLine, value: object, name: str) -> list[Any]:
        if not isinstance(value, list):
            place.refuse(f"{name} must be a list, not {reading.kind(value)}")
        return [kind(place, one, f"{name}[{index}]") for index, one in enumerate(value)]

    return read


def record(fields: Fields) -> Kind:
    """An object with these fields."""
    return lambda place, value, name: read_fields(place, value, fields, name)


def one_of(*known: str) -> Kind:
    """One of a few words."""

    def read(place: FileLine, value: object, name: str) -> str:
        if value not in known:
            place.refuse(f"{name} must be {' or '.join(known)}")
        return str(value)

    return read


def whole(place: FileLine, value: object, name: str) -> int:
    """A whole number from 0, as a database's integer holds it."""
    if type(value) is not int or not 0 <= value < 2**31:
        place.refuse(f"{name} must be a whole number from 0 to 2147483647")
    return value


def flag(place: FileLine, value: object, name: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        place.refuse(f"{name} must be true or false")
    return value


def moment(place: FileLine, value: object, name: str) -> datetime:
    """A point in time, as `data.export.format_timestamp` writes it."""
    try:
        found = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        place.refuse(f"{name} must be a time such as 2026-01-31T12:00:00.000000+00:00")
    return found


def digest(place: FileLine, value: object, name: str) -> str:
    """A SHA-256 in hexadecimal."""
    if not isinstance(value, str) or len(value) != 64 or not set(value) <= set("0123456789abcdef"):
        place.refuse(f"{name} must be a SHA-256")
    return value


def candidate(place: FileLine, value: object, name: str) -> tuple[str, str]:
    """A summary, named by its document and system."""
    if not isinstance(value, list) or len(value) != 2:
        place.refuse(f"{name} must be a document and a system")
    document, system = value
    return word(place, document, name), word(place, system, name)


def source(place: FileLine, value: object, name: str) -> str | list[str]:
    """A document's source: a text, or its sentences."""
    return texts(place, value, name) if isinstance(value, list) else words(place, value, name)


def answer(place: FileLine, value: object, name: str) -> Any:
    """An answer of a survey: a text, a number, or texts."""
    if isinstance(value, int | float):
        return value if isinstance(value, int) else number(place, value, name)
    return source(place, value, name)


def hashes(place: FileLine, value: object, name: str) -> dict[str, str]:
    """Hashes by the names of what they are of."""
    if not isinstance(value, dict):
        place.refuse(f"{name} must be an object, not {reading.kind(value)}")
    return {words(place, key, name): digest(place, one, f"{name}.{key}") for key, one in value.items()}


def mark(place: FileLine, value: object, name: str) -> list[Any]:
    """A range of a text's characters: the text, from, and to before."""
    if not isinstance(value, list) or len(value) != 3:
        place.refuse(f"{name} must be a text, and two places in it")
    return [words(place, value[0], name), *(whole(place, one, name) for one in value[1:])]


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

DATASET: Fields = {"name": word, "format": word, "sha256": words, "aspects": texts, "imported_at": moment}

DECISION: Fields = {
    "documents": whole,
    "counted": whole,
    "wealth": number,
    "mean": maybe(number),
    "low": number,
    "high": number,
    "rejected": flag,
}
"""What a stopping rule decided, as `StoppingDecision`."""

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
    "phase": one_of(*WAY, *ENDS),
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
"""`place` is that among the study's judgments, in the order in which they were first made."""

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
    """A row's columns as the fields of a record, in their order; `others` are fields that are no columns."""
    return {name: others[name] if name in others else to_plain(getattr(row, name)) for name in fields}


def to_plain(value: Any) -> Any:
    """A column's value as JSON has it."""
    return format_timestamp(value) if isinstance(value, datetime) else value
