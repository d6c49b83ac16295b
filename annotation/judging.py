"""The parts of a judgment besides the choice, as a study asks for them: reason, confidence and marked words."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypedDict

from relevance.annotation.inputs import clean_text
from relevance.annotation.languages import msgid
from relevance.annotation.protocol.records import Judging
from relevance.annotation.records import SURE, BadAnswer, SeenMark
from relevance.annotation.tables import AssignmentRow, MarkedRange
from relevance.data.store.rows import to_source

TEXTS = ("document", "first", "second")
"""The texts of a pair, in the order in which marks are stored."""

MOST_MARKS = 1000
"""The most marks of a pair, far more than anybody makes."""


class JudgmentParts(TypedDict, total=False):
    """The optional parts of a judgment: reason, confidence from 1 to 5, and marks of the words that decided."""

    rationale: str | None
    confidence: int | None
    marks: Sequence[SeenMark]


def check_parts(judging: Judging, assignment: AssignmentRow, parts: JudgmentParts) -> dict[str, Any]:
    """Check the parts of a judgment besides the choice, and return the columns to store. Raises `BadAnswer`."""
    return {
        "rationale": check_rationale(judging, parts.get("rationale")),
        "confidence": check_confidence(judging, parts.get("confidence")),
        "marks": check_marks(judging, assignment, parts.get("marks", ())),
    }


def read_source(source: str | Sequence[str]) -> str:
    """Return the text of a document in which marks count characters: sentences are joined by a space."""
    return source if isinstance(source, str) else " ".join(source)


def check_rationale(judging: Judging, rationale: str | None) -> str | None:
    """Return the reason for a choice as stored. Raises `BadAnswer` if it is missing or not asked for."""
    reason = clean_text(rationale or "") or None
    if reason is None and judging.rationale == "required":
        raise BadAnswer(msgid("Say why before you choose."))
    if reason is not None and judging.rationale == "off":
        raise BadAnswer("this study does not ask for reasons")
    return reason


def check_confidence(judging: Judging, confidence: int | None) -> int | None:
    """Return the confidence as stored. Raises `BadAnswer` if it is missing, out of range, or not asked for."""
    if not judging.confidence:
        if confidence is not None:
            raise BadAnswer("this study does not ask how sure you are")
        return None
    least, most = SURE
    if type(confidence) is not int or not least <= confidence <= most:
        raise BadAnswer(msgid("Say how sure you are before you choose."))
    return confidence


def check_marks(judging: Judging, assignment: AssignmentRow, marks: Sequence[SeenMark]) -> list[MarkedRange] | None:
    """Return marked words as stored: by the pair's own texts instead of sides, in the order of the texts.

    Raises `BadAnswer` for ranges outside of a text, for overlapping ones, and if the study does not ask for marks.
    """
    if not judging.marks:
        if marks:
            raise BadAnswer("this study does not ask for marked words")
        return None
    pair, names = assignment.pair, names_of(assignment)
    texts = {"document": read_source(to_source(pair.document)), "first": pair.first.text, "second": pair.second.text}
    stored: list[MarkedRange] = []
    if len(marks) > MOST_MARKS:
        raise BadAnswer(f"at most {MOST_MARKS} ranges can be marked")
    for mark in marks:
        seen, start, end = read_mark(mark)
        if seen not in names or not 0 <= start < end <= len(texts[names[seen]]):
            raise BadAnswer("a mark lies outside of the texts of this pair")
        stored.append((names[seen], start, end))
    stored.sort(key=lambda mark: (TEXTS.index(mark[0]), mark[1]))
    for (text, _, end), (following, start, _) in pairwise(stored):
        if text == following and start < end:
            raise BadAnswer("two marks overlap")
    return stored


def read_mark(mark: Any) -> SeenMark:
    """Read a mark as a page sends it. Raises `BadAnswer` for anything else."""
    match mark:
        case (str(text), int(start), int(end)) if not isinstance(start, bool) and not isinstance(end, bool):
            return text, start, end
    raise BadAnswer("a mark is a text, and where it begins and ends")


def names_of(assignment: AssignmentRow) -> dict[str, str]:
    """Map the texts as the annotator sees them (`document`, `left`, `right`) to the names of the pair's texts."""
    first_left = assignment.left_id == assignment.pair.first_id
    first, second = ("left", "right") if first_left else ("right", "left")
    return {"document": "document", first: "first", second: "second"}


def see_marks(assignment: AssignmentRow, marks: Sequence[MarkedRange]) -> tuple[SeenMark, ...]:
    """Return stored marks as their annotator sees them."""
    seen = {name: side for side, name in names_of(assignment).items()}
    return tuple((seen[text], start, end) for text, start, end in marks)
