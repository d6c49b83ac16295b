"""How other programs write choices between two texts: a description each, which says what is in which field."""

import json
import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from relevance.data import reading
from relevance.data.importers.lmarena import BETWEEN
from relevance.data.importers.opening import open_table
from relevance.data.importers.pairwise import count
from relevance.data.importers.rows import INSPECTED, Table, TableRow, as_text
from relevance.data.importers.spreading import flatten
from relevance.data.reading import FileLine, Say, say_nothing

NOTHING: Mapping[str, Any] = {}

LAST_TURN = "\n\nAssistant:"
"""The mark of an answer in conversations that are one text."""

UNTRUE = {"", "false", "0", "0.0", "none", "null", "nan"}
"""The value, in lower case, of an answer that was not given."""

TWO_TEXTS = re.compile(r"\s*(?:\|\|\||<br\s*/?>)\s*")
"""The separator of two texts in one field."""


class Description(NamedTuple):
    """How a program writes judgments."""

    fields: frozenset[str]
    """Fields by which a file is recognized."""
    roles: Mapping[str, tuple[str, ...]] = NOTHING
    """Names of a role's field, of which the first that exists is taken; a role without names has no field."""
    otherwise: Mapping[str, str] = NOTHING
    """The field of a role that no other field has."""
    each: tuple[str, ...] = ()
    """Lists of objects that make a row each, from the outside in; `responses.*` are the lists of all fields of one."""
    inside: tuple[str, ...] = ()
    """Prefixes of fields with what people saw and answered, removed from their names; only these fields are guessed."""
    parsed: str = ""
    """A field that holds JSON, a list with an object, whose fields are taken for the record's, by their paths."""
    answers: tuple[str, ...] = ()
    """Patterns of fields for one `answer` to a `question` each, whose value says whether it was given."""
    question: str = ""
    """The field that names the question of a row's answer."""
    answer: tuple[str, ...] = ()
    """The fields that may have it."""
    left_out: Mapping[str, tuple[str, ...]] = NOTHING
    """Values of fields, in lower case, whose rows are not judgments."""
    added: Mapping[str, str] = NOTHING
    """Fields that all rows have, with their values."""
    joined: tuple[str, ...] = ()
    """Fields whose texts are lists of a conversation's turns."""
    before: tuple[str, ...] = ()
    """A field, the texts whose last turn is judged, and which hold that field before it where it is missing."""
    split: str = ""
    """A field with both texts, which become `text_a` and `text_b`."""
    values: Mapping[str, str] = NOTHING
    """The meanings of values of choices that are not clear by themselves."""
    other: tuple[str, ...] = ()
    """The field with the system on the left, and those with both; the one that is not on the left becomes `right`."""
    middle: Mapping[str, float] = NOTHING
    """Fields with numbers from 1 to 2, which mean 1 below this one, and 2 above."""
    says: str = ""
    """A note for the person who imports such a file."""
    refused: str = ""
    """The reason why such a file has no judgments, if it has none."""


OWN = Description(frozenset())
"""A table of people's own."""

DESCRIPTIONS: dict[str, Description] = {
    "mturk": Description(
        fields=frozenset({"HITId", "AssignmentId", "WorkerId"}),
        roles={"annotator": ("WorkerId",), "time": ("SubmitTime",)},
        otherwise={"document_id": "HITId"},
        inside=("Input.", "Answer."),
        parsed="Answer.taskAnswers",
        answers=(r"Answer\.(?P<question>.+)\.(?P<answer>[^.]+)",),
        left_out={"AssignmentStatus": ("rejected",)},
    ),
    "label_studio": Description(
        fields=frozenset({"annotations", "data"}),
        roles={
            "annotator": (
                "annotations.completed_by",
                "annotations.completed_by.id",
                "annotations.completed_by.email",
            ),
            "time": ("annotations.created_at",),
        },
        otherwise={"document_id": "id"},
        each=("annotations", "annotations.result"),
        inside=("data.",),
        question="annotations.result.from_name",
        answer=("annotations.result.value.selected", "annotations.result.value.choices"),
        left_out={"annotations.was_cancelled": ("true",)},
    ),
    "potato": Description(
        fields=frozenset({"displayed_text"}),
        roles={"annotator": ("user",), "document_id": ("instance_id", "id")},
        answers=(r"label_annotations\.(?P<question>.+?)\.(?P<answer>.+)", r"(?P<question>.+):::(?P<answer>.+)"),
        split="displayed_text",
    ),
    "argilla": Description(
        fields=frozenset({"fields", "responses"}),
        roles={"annotator": ("response.user_id",)},
        otherwise={"document_id": "id"},
        each=("responses.*",),
        inside=("fields.", "responses."),
        left_out={"response.status": ("discarded", "draft")},
    ),
    "alpaca_eval": Description(
        fields=frozenset({"instruction", "output_1", "output_2", "preference"}),
        roles={"source": ("instruction",)},
        values={"1.5": "tie", "0": "tie"},
        middle={"preference": 1.5},
        says="the annotators of such files are often models, and no people: their names are not kept",
    ),
    "lmarena_table": Description(
        fields=frozenset({"model_a", "model_b", "response_a", "response_b", "winner_model_a", "winner_model_b"}),
        roles={"source": ("prompt",), "document_id": ("id",)},
        answers=(r"(?P<question>winner)_(?P<answer>model_a|model_b|tie)",),
        joined=("prompt", "response_a", "response_b"),
    ),
    "crowd_kit": Description(
        fields=frozenset({"worker", "left", "right", "label"}),
        roles={
            **{"annotator": ("worker",), "left_system": ("left",), "right_system": ("right",), "choice": ("label",)},
            **{"left": (), "right": ()},
        },
    ),
    "preferences": Description(
        fields=frozenset({"chosen", "rejected"}),
        roles={
            **{"source": ("prompt",), "left": ("chosen",), "right": ("rejected",), "choice": ("choice",)},
            **{"left_system": ("chosen_model", "chosen-model"), "right_system": ("rejected_model", "rejected-model")},
        },
        added={"choice": "chosen"},
        joined=("prompt", "chosen", "rejected"),
        before=("prompt", "chosen", "rejected"),
    ),
    "judgments": Description(
        fields=frozenset({"study", "annotator", "document_id", "system_a", "system_b", "left", "choice", "chosen"}),
        roles={
            **{"document_id": ("document_id",), "left_system": ("left",), "right_system": ("right",)},
            **{"choice": ("choice",), "annotator": ("annotator",), "time": ("decided_at",), "comment": ("rationale",)},
        },
        left_out={"check": ("true",), "excluded": ("true",)},
        other=("left", "system_a", "system_b"),
    ),
    "prolific": Description(
        fields=frozenset({"Submission id", "Participant id"}),
        refused="these are Prolific's participants, not judgments; import the file of the program in which they "
        "judged, whose annotators may be called by these ids",
    ),
}
"""The programs, by the names of their formats; the first whose fields all occur is taken."""


def recognize(names: Collection[str]) -> str | None:
    """Return the format whose fields all occur among these; None for no such."""
    known = {*names, *tops(names)}
    return next((format for format, description in DESCRIPTIONS.items() if description.fields <= known), None)


def open_described(path: Path, format: str) -> Table:
    """Open a file as its format's description says, as a table with a row for each judgment. Raises `BadRecord`."""
    description = DESCRIPTIONS[format]
    if description.refused:
        FileLine(path, 1).refuse(description.refused)
    source = open_table(path)
    if lacking := sorted(description.fields - {*source.names, *tops(source.names)}):
        FileLine(path, 1).refuse(f"a file of {format} has the fields {', '.join(lacking)}")
    first = [row for _, row in islice(read_described(source, description, say_nothing), INSPECTED)]
    names = tuple(dict.fromkeys(name for row in first for name in row))
    return Table(names, names, lambda wanted, say: pick(read_described(source, description, say), wanted))


def tops(names: Collection[str]) -> Iterator[str]:
    """Yield the names of the fields that hold others."""
    yield from (name.split(".")[0] for name in names)


def pick(rows: Iterator[TableRow], wanted: Collection[str] | None) -> Iterator[TableRow]:
    """Yield rows with some of their fields, or with all."""
    for place, row in rows:
        yield place, row if wanted is None else {name: value for name, value in row.items() if name in wanted}


def read_described(source: Table, description: Description, say: Say) -> Iterator[TableRow]:
    """Yield the judgments of a file, and say at its end what is left out. Raises `BadRecord`."""
    left_out: Counter[str] = Counter()
    for place, record in source.read(None, say):
        for row in spread(place, [parse(place, dict(record), description.parsed)], description.each):
            reason = find_reason(row, description)
            if reason is None:
                yield place, complete(place, rename(row, description), description)
            else:
                left_out[reason] += 1
    for reason, number in left_out.items():
        say(f"{count(number, 'row')} left out: {reason}")


def parse(place: FileLine, row: dict[str, Any], field: str) -> dict[str, Any]:
    """Return a row with the answers that a field holds as JSON, by names such as `Answer.better.A`."""
    if not row.get(field):
        return row
    answers = reading.parse_json_value(place, str(row.pop(field)), "list")
    prefix = f"{field.split('.', maxsplit=1)[0]}."
    return row | {
        name.removesuffix(".label"): value
        for answer in reading.objects(place, answers, field)
        for name, value in flatten(answer, prefix).items()
    }


def spread(place: FileLine, rows: list[dict[str, Any]], each: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row for each object of the lists in rows; a row whose list is empty stays one."""
    for path in each:
        named = []
        for row in rows:
            within = path.removesuffix("*")
            lists = [path] if within == path else [name for name in row if name.startswith(within)]
            shared = {name: value for name, value in row.items() if name not in lists}
            items = [
                shared | name_item(path, name, item)
                for name in lists
                for item in reading.objects(place, row.get(name) or [], name)
            ]
            named += items or [shared]
        rows = named
    return rows


def name_item(path: str, name: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """Name the fields of an object in a list: by the list or, of all lists of an object, its value by the list."""
    if path == name:
        return flatten(item, f"{name}.")
    return {name: item.get("value")} | flatten(
        {key: value for key, value in item.items() if key != "value"}, "response."
    )


def find_reason(row: Mapping[str, Any], description: Description) -> str | None:
    """Return why a row is not a judgment; None if it is one."""
    for field, values in description.left_out.items():
        if (value := as_text(row.get(field)).casefold()) in values:
            return f"{field.split('.')[-1]} is {value}"
    if description.question and description.question in row and not any(name in row for name in description.answer):
        return "another kind of answer"
    return None


def rename(row: Mapping[str, Any], description: Description) -> dict[str, Any]:
    """Return the fields of a judgment by the names that they are guessed by."""
    kept = {name for names in description.roles.values() for name in names} | set(description.otherwise.values())
    renamed: dict[str, Any] = {}
    for name, given in row.items():
        value = given[0] if isinstance(given, list) and len(given) == 1 and isinstance(given[0], str) else given
        if matched := next((m for answer in description.answers if (m := re.fullmatch(answer, name))), None):
            answered = renamed.setdefault(matched["question"], "")
            if as_text(value).casefold() not in UNTRUE:
                renamed[matched["question"]] = f"{answered}, {matched['answer']}".removeprefix(", ")
        elif description.question and name in description.answer:
            renamed[as_text(row.get(description.question))] = value
        elif prefix := next((prefix for prefix in description.inside if name.startswith(prefix)), None):
            renamed[name.removeprefix(prefix)] = value
        elif name in kept or not description.inside:
            renamed[name] = value
    return renamed


def complete(place: FileLine, row: dict[str, Any], description: Description) -> dict[str, Any]:
    """Return a judgment's fields with those that follow from others. Raises `BadRecord`."""
    if description.before and not row.get(description.before[0]):
        row |= part_turns(place, row, *description.before)
    row |= {name: join_turns(place, row[name], name) for name in description.joined if name in row}
    row |= {name: by_middle(row.get(name), middle) for name, middle in description.middle.items()}
    if description.other:
        left, *both = (row.get(name) for name in description.other)
        row["right"] = next((system for system in both if system != left), None)
    if description.split:
        texts = TWO_TEXTS.split(reading.text(place, row.pop(description.split, ""), description.split))
        if len(texts) != 2:
            place.refuse(f"{description.split} must be two texts with ||| or <br> between them, not {len(texts)}")
        row |= {"text_a": texts[0], "text_b": texts[1]}
    return row | dict(description.added)


def by_middle(value: object, middle: float) -> object:
    """Return 1 for a number below the middle, 2 for one above it; other values, and 0, as they are."""
    try:
        number = float(as_text(value))
    except ValueError:
        return value
    if number in (0, middle) or math.isnan(number):
        return value
    return "1" if number < middle else "2"


def part_turns(place: FileLine, row: Mapping[str, Any], name: str, *texts: str) -> dict[str, object]:
    """Return what stands before the last turn of the texts as the field of this name, and the texts without it.

    Turns are messages, or begin with a mark such as `Assistant:`.
    """
    first = row.get(texts[0])
    if isinstance(first, list) and len(first) > 1:
        return {name: BETWEEN.join(str(join_turns(place, [turn], name)) for turn in first[:-1])}
    if not all(isinstance(row.get(text), str) and LAST_TURN in row[text] for text in texts):
        return {}
    parts = {text: row[text].rpartition(LAST_TURN) for text in texts}
    return {name: parts[texts[0]][0].strip()} | {text: after.strip() for text, (_, _, after) in parts.items()}


def join_turns(place: FileLine, value: object, name: str) -> object:
    """Return the turns of a conversation as one text, or of messages the last one; other texts as they are."""
    if isinstance(value, str) and value.startswith("["):
        try:
            parsed = json.loads(value)
        except json.JSONDecodeError:
            return value
        value = parsed if isinstance(parsed, list) else value
    if not isinstance(value, list):
        return value
    if value and all(isinstance(item, dict) for item in value):
        last = value[-1].get("content")
        return reading.summary_text(place, last, f"the content of the last message of {name}")
    return BETWEEN.join(as_text(item) for item in value)
