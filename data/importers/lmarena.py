"""Battles of LMArena and human judgments of MT-bench, as released (Zheng et al. 2023; Chiang et al. 2024).

Parquet, JSON lines or one JSON list: `question_id, model_a, model_b, winner, judge, conversation_a, conversation_b,
turn, tstamp`, or as in the release of 140,000 battles `id, evaluation_session_id, timestamp` with contents that are
lists.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from relevance.data import reading
from relevance.data.importers.nested import is_parquet, read_rows
from relevance.data.importers.pairwise import BOTH_BAD, LEFT, RIGHT, TIE, Comparison, count, moment, records_of
from relevance.data.reading import FileLine, Say, quote_value, read_json
from relevance.data.records import Document, Summary

FIELDS = {"model_a", "model_b", "winner"}
"""Fields by which a record is recognized."""

COLUMNS = FIELDS | {
    "conversation_a",
    "conversation_b",
    "question_id",
    "id",
    "judge",
    "evaluation_session_id",
    "turn",
    "tstamp",
    "timestamp",
}
"""The columns that are read of a Parquet file."""

WINNERS = {
    "model_a": LEFT,
    "model_b": RIGHT,
    "tie": TIE,
    "tie (bothbad)": BOTH_BAD,
    "both_bad": BOTH_BAD,
}

BETWEEN = "\n\n"
"""The separator of a conversation's turns when they are joined into one text."""

IMAGES = "images"

Turns: TypeAlias = list[tuple[str, str]]
"""The user's questions, each with the model's answer."""


def load(path: Path, say: Say) -> Iterator[tuple[Document, list[Summary]]]:
    """Read the questions and answers of a file. Raises `BadRecord`."""
    return records_of(read, path, say)


def read(path: Path, say: Say) -> Iterator[Comparison]:
    """Read a file of battles: the document is the question, the summaries are the answers of two models.

    If the judge saw several turns (`turn`, or all), the questions of these turns are joined into one text, and so are a
    model's answers. Ties of two bad answers are ties like others. Battles with images are left out, as the document
    would lack part of the question. Both are counted. The annotator is `judge`, or the session's owner. Raises
    `BadRecord`.
    """
    counts: Counter[str] = Counter()
    for place, battle in read_rows(path, COLUMNS) if is_parquet(path) else read_json(path):
        texts = [read_turns(place, battle, side) for side in ("conversation_a", "conversation_b")]
        winner = reading.require_field(place, battle, "winner")
        if not isinstance(winner, str) or winner not in WINNERS:
            place.refuse(f"winner must be {', '.join(map(quote_value, WINNERS))}, not {quote_value(winner)}")
        counts[BOTH_BAD] += WINNERS[winner] == BOTH_BAD
        if None in texts:
            counts[IMAGES] += 1
            continue
        yield to_comparison(place, battle, [turns for turns in texts if turns is not None], WINNERS[winner])
    if counts[BOTH_BAD]:
        say(f"{count(counts[BOTH_BAD], 'tie')} of two bad answers: ties like others")
    if counts[IMAGES]:
        say(f"{count(counts[IMAGES], 'battle')} with images left out")


def to_comparison(
    place: FileLine, battle: dict[str, Any], texts: list[list[tuple[str, str]]], choice: str
) -> Comparison:
    """Make a comparison of the turns of a battle that the judge saw."""
    turns = read_turn_number(place, battle)
    for side, conversation in zip("ab", texts, strict=True):
        if turns is not None and turns > len(conversation):
            place.refuse(f"turn is {turns}, and conversation_{side} has {len(conversation)} turns with an answer")
    seen = [conversation[:turns] for conversation in texts]
    questions = [BETWEEN.join(question for question, _ in conversation) for conversation in seen]
    if questions[0] != questions[1]:
        place.refuse("the models were not asked the same: the user's turns differ in conversation_a and conversation_b")
    key = "question_id" if "question_id" in battle else "id"
    number = reading.identifier(place, reading.require_field(place, battle, key), key)
    several = len(seen[0])
    judge = battle.get("judge")
    who = "judge" if judge is not None else "evaluation_session_id"
    time = "tstamp" if "tstamp" in battle else "timestamp"
    return Comparison(
        place,
        Document(
            id=number if several == 1 else reading.identifier(place, f"{number}, {several} turns", key),
            source=reading.text(place, questions[0], "what the user asks"),
            references=(),
        ),
        (model(place, battle, "model_a"), model(place, battle, "model_b")),
        (BETWEEN.join(answer for _, answer in seen[0]), BETWEEN.join(answer for _, answer in seen[1])),
        choice,
        None if battle.get(who) is None else reading.identifier(place, battle[who], who),
        moment(place, battle.get(time), time),
    )


def model(place: FileLine, battle: dict[str, Any], field: str) -> str:
    """Read the name of a model."""
    return reading.identifier(place, reading.require_field(place, battle, field), field)


def read_turn_number(place: FileLine, battle: dict[str, Any]) -> int | None:
    """Return the number of turns that the judge saw; None for all."""
    turn = battle.get("turn")
    if turn is not None and (type(turn) is not int or turn < 1):
        place.refuse(f"turn must be a whole number from 1, not {quote_value(turn)}")
    return turn


def read_turns(place: FileLine, battle: dict[str, Any], field: str) -> Turns | None:
    """Read the turns of a conversation, questions with answers; None if there is an image."""
    messages = reading.objects(place, reading.require_field(place, battle, field), field)
    if not messages or len(messages) % 2:
        place.refuse(f"{field} must have a question and an answer for each turn, not {count(len(messages), 'message')}")
    contents: list[str] = []
    for index, message in enumerate(messages):
        name, role = f"{field}[{index}]", ("user", "assistant")[index % 2]
        if reading.require_field(place, message, "role") != role:
            place.refuse(f"{name}.role must be {role}, not {quote_value(message['role'])}")
        content = read_content(place, reading.require_field(place, message, "content"), f"{name}.content")
        if content is None:
            return None
        contents.append(content)
    return list(zip(contents[::2], contents[1::2], strict=True))


def read_content(place: FileLine, content: object, name: str) -> str | None:
    """Read the content of a message: a text, or a list of parts; None if a part is not a text."""
    if not isinstance(content, list):
        return reading.summary_text(place, content, name)
    parts = []
    for index, part in enumerate(reading.objects(place, content, name)):
        if reading.require_field(place, part, "type") != "text":
            return None
        parts.append(reading.summary_text(place, reading.require_field(place, part, "text"), f"{name}[{index}].text"))
    return BETWEEN.join(parts)
