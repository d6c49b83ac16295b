"""Usual names of columns and fields in tables."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TypeGuard

REQUIRED = ("document_id", "reference", "system", "summary")
NEEDED = ("reference", "summary")
"""The columns required in a table with a mapping; see `find_missing`."""
OPTIONAL = ("source", "title")
HUMAN, WIDE = "human.", "summary."
"""Prefixes of columns of ratings, and of summaries if each system has its own column."""
ASPECTS = (
    *("relevance", "coherence", "consistency", "fluency", "informativeness", "faithfulness", "quality", "overall"),
    *("accuracy", "adequacy", "clarity", "completeness", "conciseness", "correctness", "coverage", "factuality"),
    *("focus", "grammaticality", "helpfulness", "readability", "redundancy", "responsiveness", "usefulness"),
    *("overall_quality", "linguistic_quality"),
)
"""Aspects of ratings that are recognized in a column's name without `HUMAN`."""
RATING = re.compile(
    rf"(?:human_)?(?:(?P<aspect>{'|'.join(ASPECTS)})(?:_(?:ratings?|score|likert|human))?|(?P<other>.+)_ratings?)"
)
ANY_RATING = ("rating", "ratings", "human_rating", "human_score", "likert", "stars")
"""Usual names of a column of ratings without an aspect."""
PERSON = r"(?:annotator|worker|rater|judge|evaluator|expert|reviewer|coder|participant)_?(?:\d+|[a-h])"
BY_PERSON = re.compile(
    rf"(?P<aspect>{'|'.join(ASPECTS)}|ratings?)_(?P<person>\d+|{PERSON})|"
    rf"(?P<first>{PERSON})(?:_(?P<of>{'|'.join(ASPECTS)}|ratings?))?"
)
"""Names of columns with the ratings of one person each: `fluency_1`, `rater_2_fluency`, `Rater A`."""
IN_ROWS = ("score", "value")
"""Further names of the column of ratings in a table with a column of annotators or aspects."""

BY = "@"
"""The separator of aspect and annotator in the role of a column of ratings: `human.fluency@Ann`."""
ASPECT = "aspect"
OF_ASPECT = ("aspect", "criterion", "criteria", "dimension")
"""Usual names of the column with the aspect that a row rates."""

ANNOTATOR = "annotator"
ANNOTATORS = (
    *("annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id", "judge", "judge_id"),
    *("evaluator", "evaluator_id", "participant", "participant_id", "user", "user_id", "coder", "assessor"),
    *("labeler", "reviewer", "reviewer_id", "person", "username"),
)
"""Usual names of the column of annotators, the likeliest first."""

CALLED = {
    "document_id": (
        *("document_id", "id", "doc_id", "docid", "document id", "article_id", "article id", "instance_id"),
        *("example_id", "doc", "guid"),
    ),
    "title": ("title", "headline"),
    "source": (
        *("source", "document", "article", "text", "src", "input", "source_text", "full_text", "story", "dialogue"),
        *("context", "passage", "prompt", "instruction", "post"),
    ),
    "reference": (
        *("reference", "references", "ref", "refs", "target", "gold", "highlights", "reference_summary"),
        *("gold_summary", "ground_truth", "tldr"),
    ),
    "system": ("system", "model", "summarizer", "model_id", "system_id", "method", "summarizer_id"),
    "summary": (
        *("summary", "candidate", "output", "prediction", "generated", "hypothesis", "system_summary", "decoded"),
        *("generated_summary", "model_output", "pred", "hyp", "hypo", "response"),
    ),
}
"""Usual names of the columns, the likeliest first."""

ID = re.compile(r"(?=\D*\d)[!-~]{1,64}(?<![.!?])")
"""A value that looks like an id and not like a text."""

OF_SYSTEM = re.compile(
    r"(?:(?P<before>.+)[ _.-])?(?:summary|output|candidate|prediction|generated)(?:[ _.-](?P<after>.+))?", re.IGNORECASE
)
"""Usual names of a column with the summaries of one system."""


def find_roles(names: Iterable[str], rows: Sequence[Mapping[str, object]] = ()) -> dict[str, str]:
    """Map the fields that names of columns indicate to these names; if several fit a field, the likeliest is taken.

    A column `document` holds ids if its values in `rows`, some of the table's, look like ids; otherwise texts.

    >>> find_roles(["document", "gold"]), find_roles(["document", "gold"], [{"document": "d1", "gold": "A ferry."}])
    ({'source': 'document', 'reference': 'gold'}, {'document_id': 'document', 'reference': 'gold'})
    """
    names = list(names)
    folded = {name.strip().casefold(): name for name in reversed(names)}
    roles = {
        field: next(folded[known] for known in called if known in folded)
        for field, called in CALLED.items()
        if any(known in folded for known in called)
    }
    ids = folded.get("document")
    if "document_id" not in roles and is_id_column(ids, rows):
        return {"document_id": ids, **find_roles([name for name in names if name != ids])}
    return roles


def leave_out(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """List the names of columns that are none of the `known` ones; a table can have very many columns.

    >>> leave_out(["id", "text", "stars"], ["text"])
    ['id', 'stars']
    """
    taken = {*known}
    return [name for name in names if name not in taken]


def find_annotators(names: Iterable[str]) -> dict[str, str]:
    """Map the roles of columns that say who judged, and which aspect, to their names; roles without one are absent.

    >>> find_annotators(["worker_id", "criterion", "score"])
    {'annotator': 'worker_id', 'aspect': 'criterion'}
    """
    folded = {fold_name(name): name for name in reversed(list(names))}
    columns = {ANNOTATOR: [*filter(folded.get, ANNOTATORS)], ASPECT: [*filter(folded.get, OF_ASPECT)]}
    return {role: folded[called[0]] for role, called in columns.items() if called}


def find_ratings(names: Iterable[str], *, in_rows: bool = False) -> dict[str, str]:
    """Map the roles of columns that are called like ratings to their names.

    With `in_rows`, another column says who gave a row's rating, or of which aspect it is.

    >>> find_ratings(["human.pyramid", "Overall-Rating", "rating", "rouge_score"])
    {'human.pyramid': 'human.pyramid', 'human.overall': 'Overall-Rating', 'human.rating': 'rating'}
    """
    any_rating = (*ANY_RATING, *IN_ROWS) if in_rows else ANY_RATING
    roles: dict[str, str] = {}
    for name in names:
        folded = fold_name(name)
        if name.startswith(HUMAN):
            roles[name] = name
        elif folded in any_rating:
            roles.setdefault(f"{HUMAN}rating", name)
        elif rated := RATING.fullmatch(folded):
            roles.setdefault(f"{HUMAN}{rated['aspect'] or rated['other']}", name)
    return roles


def find_ratings_by_person(names: Iterable[str]) -> dict[str, str]:
    """Map the roles of columns with the ratings of one person each to their names; empty for a single such column.

    >>> find_ratings_by_person(["Fluency 1", "Fluency 2", "rater_3_fluency", "rater"])
    {'human.fluency@1': 'Fluency 1', 'human.fluency@2': 'Fluency 2', 'human.fluency@rater_3': 'rater_3_fluency'}
    """
    roles: dict[str, str] = {}
    for name in names:
        if match := BY_PERSON.fullmatch(fold_name(name)):
            aspect, who = match["aspect"] or match["of"] or "rating", match["person"] or match["first"]
            aspect = "rating" if aspect == "ratings" else aspect
            roles.setdefault(f"{HUMAN}{aspect}{BY}{who}", name)
    return roles if len(roles) > 1 else {}


def is_id_column(name: str | None, rows: Sequence[Mapping[str, object]]) -> TypeGuard[str]:
    """Tell whether a column holds ids: short, in one piece, and each with a digit."""
    if name is None:
        return False
    values = [str(row[name]) for row in rows if row.get(name) not in (None, "")]
    return bool(values) and all(ID.fullmatch(value.strip()) for value in values)


def fold_name(name: str) -> str:
    """Return a column's name in lower case, with underscores between its words."""
    return re.sub(r"[ .\-]+", "_", name.strip().casefold())


def find_missing(fields: Collection[str], required: Sequence[str] = NEEDED) -> list[str]:
    """List the required fields that are not among these.

    A column for each system stands for `system` and `summary`. A table that says whose the summaries are can do without
    references if it has sources; otherwise its summaries may be the references.
    """
    wide = any(field.startswith(WIDE) for field in fields)
    stands = {"system", "summary"} if wide else set()
    if "source" in fields and (wide or "system" in fields):
        stands.add("reference")
    return [field for field in required if field not in fields and field not in stands]


def describe_missing(names: Collection[str]) -> str:
    """Say which fields a table lacks to be read, and how they may be called."""
    missing = find_missing(find_roles(names))
    return " and ".join(f"a {field} ({', '.join(CALLED[field][:5])} ...)" for field in missing)


def name_systems(names: Sequence[str]) -> dict[str, str]:
    """Map names such as `summary_a` to the system that they name."""
    known = {name for called in CALLED.values() for name in called}
    columns: dict[str, str] = {}
    for name in names:
        named = OF_SYSTEM.fullmatch(name.strip())
        if named and name.strip().casefold() not in known:
            system = named["before"] or named["after"]
            columns[name if system in columns else system] = name
    return {name: system for system, name in columns.items()}
