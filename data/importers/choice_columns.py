"""The roles of the columns of a table of choices, by their names and by their values."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from relevance.data.importers.called import ANNOTATOR, ANNOTATORS, CALLED, find_roles, fold_name, leave_out
from relevance.data.importers.mapping import CHOICE, OF_CHOICES
from relevance.data.importers.meanings import SIDES, Meanings, side_of
from relevance.data.importers.pairwise import LEFT, RIGHT
from relevance.data.importers.rows import as_text

CALLED_HERE = {
    "choice": (
        *("choice", "preference", "preferred", "winner", "judgment", "judgement", "verdict", "vote", "better", "best"),
        *("selected", "selection", "decision", "overall_preference", "human_preference"),
    ),
    ANNOTATOR: ANNOTATORS,
    "time": (
        *("time", "timestamp", "tstamp", "decided_at", "judged_at", "submitted_at", "created_at", "date"),
        *("submit_time", "end_time"),
    ),
    "comment": (
        *("comment", "comments", "note", "notes", "rationale", "reason", "explanation", "justification", "remark"),
        *("remarks", "feedback"),
    ),
}
"""Usual names of the columns of a judgment, the likeliest first."""
DOCUMENT_IDS = ("review_id", "post_id", "question_id", "prompt_id", "item_id", "sample_id", "story_id", "document_key")
"""More names of a document's column, beside `CALLED`."""

TEXTS = (
    *("summary", "text", "output", "response", "answer", "candidate", "completion", "generation", "hypothesis"),
    *("prediction", "option", "system_summary", "generated_summary", ""),
)
SYSTEMS = (
    *("system", "model", "sys", "system_id", "model_id", "system_name", "model_name", "generator", "summarizer"),
    *("policy", "method"),
)
"""Words before or after a side (`SIDES`) in names of columns, the likeliest first."""

NOTHING: Mapping[str, str] = {}


def find_choice_roles(
    names: Collection[str], rows: Sequence[Mapping[str, Any]] = (), told: Mapping[str, str] = NOTHING
) -> dict[str, str]:
    """Map the roles that columns tell to their names; `rows` are some of the table, `told` has roles of other columns.

    A column whose name does not say that it is the choice is one if it is the only one whose values say it.

    >>> find_choice_roles(["article", "summary_a", "summary_b", "model_a", "model_b", "winner", "worker"])
    ... # doctest: +NORMALIZE_WHITESPACE
    {'source': 'article', 'left': 'summary_a', 'right': 'summary_b', 'left_system': 'model_a',
    'right_system': 'model_b', 'choice': 'winner', 'annotator': 'worker'}
    """
    folded = {fold_name(name): name for name in reversed(list(names))}
    suggested = find_roles(names, rows)
    roles = {role: name for role, name in suggested.items() if role not in ("system", "summary")}
    if "document_id" not in roles and (known := next((name for name in DOCUMENT_IDS if name in folded), None)):
        roles["document_id"] = folded[known]
    for suffix, stems in (("", TEXTS), ("_system", SYSTEMS)):
        if (sides := find_sides(folded, stems)) is not None:
            roles |= {f"left{suffix}": sides[0], f"right{suffix}": sides[1]}
    for role, called in CALLED_HERE.items():
        free = [folded[name] for name in called if name in folded and folded[name] not in roles.values()]
        if free:
            roles[role] = free[0]
    if CHOICE not in roles and len(answers := find_answers({**roles, **told}, names, rows)) == 1:
        roles[CHOICE] = answers[0]
    return {role: roles[role] for role in (*CALLED, *OF_CHOICES) if role in roles}


def find_answers(roles: Mapping[str, str], names: Collection[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """List the columns without a role all of whose values in `rows` are words for a side, a system, or a tie.

    A column of numbers is none, as it may be anything else.
    """
    texts, systems = sides_of(roles, ""), sides_of(roles, "_system")
    if texts is None and systems is None:
        return []
    meanings = Meanings({}, texts or ("", ""))
    return [name for name in leave_out(names, roles.values()) if are_choices(name, systems, meanings, rows)]


def are_choices(
    name: str, systems: tuple[str, str] | None, meanings: Meanings, rows: Sequence[Mapping[str, Any]]
) -> bool:
    """Tell whether the values of a column are choices, some of them of a side."""
    choices = set()
    for row in rows:
        if not isinstance(row.get(name), str | None):
            return False
        text = as_text(row.get(name))
        meaning = "" if text.isdecimal() else meanings.understand(text)
        if not meaning and systems is not None:
            first, second = (as_text(row.get(system)) for system in systems)
            meaning = side_of(text, (first, second)) or ""
        choices.add(meaning)
    return "" not in choices and not choices.isdisjoint({LEFT, RIGHT})


def sides_of(roles: Mapping[str, str], suffix: str) -> tuple[str, str] | None:
    """Return the columns of both texts (""), or of both systems ("_system"); None if they are not there."""
    left, right = (roles.get(f"{side}{suffix}") for side in (LEFT, RIGHT))
    return (left, right) if left and right else None


def find_sides(folded: Mapping[str, str], stems: Sequence[str]) -> tuple[str, str] | None:
    """Return the names of two columns such as `model_a` and `model_b`, the left one first; None without such."""
    for stem in stems:
        for left, right in SIDES:
            if not stem and left.isdigit():
                continue
            for form in ("{0}_{1}", "{0}{1}", "{1}_{0}") if stem else ("{1}",):
                names = [folded.get(form.format(stem, side)) for side in (left, right)]
                if names[0] is not None and names[1] is not None:
                    return names[0], names[1]
    return None


def fits(names: Collection[str], rows: Sequence[Mapping[str, Any]] = ()) -> bool:
    """Tell whether columns of these names are those of a table of choices; `rows` are some of it."""
    roles = find_choice_roles(names, rows)
    return CHOICE in roles and bool(sides_of(roles, "") or sides_of(roles, "_system"))
