"""Templates that say where the rows of a table are: in which files of a folder, and where within JSON.

A name in braces stands for anything and gives a column of that name; `{}` stands for anything and gives none. So
`sample{} - {annotator}.tsv` are the files of several people, and `questions.{question}.reviews.{}` the reviews of each
question, where `questions` is an object or a list and `reviews`, too.
"""

import re
from pathlib import Path
from typing import NamedTuple

from relevance.data.reading import quote_value
from relevance.data.records import BadRecord

HOLE = re.compile(r"\{([^{}]*)\}")
MAX_STEPS = 100
"""The most full stops in a template."""
MAX_FILES = 10_000
"""The most files that a template may find."""


class BadTemplate(ValueError):
    """A template cannot be read."""


class Step(NamedTuple):
    """A step into JSON: into a field, or into each value of an object or a list."""

    field: str | None
    """The field; None for each value."""
    column: str = ""
    """The column that gets the key of a value, or its number in a list from 0; "" for none."""


def check_template(template: str) -> str:
    """Return a template whose braces close, and whose names are names. Raises `BadTemplate`.

    >>> check_template("{article}.annotators.{}")
    '{article}.annotators.{}'
    """
    rest = HOLE.sub("", template)
    names = [name for name in HOLE.findall(template) if name]
    if "{" in rest or "}" in rest or not template.strip():
        raise BadTemplate(f"{quote_value(template)} must be like a/{{annotator}}.csv: a name in braces, or {{}}")
    if bad := [name for name in names if not name.isidentifier()]:
        raise BadTemplate(f"{quote_value(bad[0])} cannot be the name of a column: use letters, digits and _")
    if template.count(".") > MAX_STEPS:
        raise BadTemplate(f"over {MAX_STEPS} full stops")
    if twice := [name for name in names if names.count(name) > 1]:
        raise BadTemplate(f"{{{twice[0]}}} stands twice in {quote_value(template)}")
    return template


def match_path(template: str, path: str) -> dict[str, str] | None:
    """Return what the names of a template stand for in a path; None if the path is not like it.

    >>> match_path("sample{} - {annotator}.tsv", "sample2 - A3.tsv")
    {'annotator': 'A3'}
    """
    first, *pieces = HOLE.split(template)  # a text, then a name and the text after it, again and again
    if not path.startswith(first):
        return None
    at, keys = len(first), dict[str, str]()
    parts = list(zip(pieces[::2], pieces[1::2], strict=True))
    for number, (name, text) in enumerate(parts, 1):
        least = at + bool(name)
        # the first place that fits, without ever going back, as a regular expression would for ages
        end = path.find(text, least) if number < len(parts) else len(path) - len(text)
        if end < least or not path.startswith(text, end) or "/" in path[at:end]:
            return None
        if name:
            keys[name] = path[at:end]
        at = end + len(text)
    return keys if at == len(path) else None


def find_files(path: Path, template: str) -> list[tuple[Path, dict[str, str]]]:
    """Return the files of a folder that are like a template, sorted, each with what the template's names stand for.

    A file instead of a folder is one of them, by as much of the template as there are folders in it. Raises `BadRecord`
    if there is none.
    """
    depth = template.count("/") + 1
    if path.is_dir():
        inside = (file for file in path.glob("/".join("*" * depth)) if file.is_file())
        named = [(file, file.relative_to(path).as_posix()) for file in inside]
    else:
        named = [(path, "/".join(path.absolute().parts[-depth:]))]
    files = [(file, keys) for file, name in sorted(named) if (keys := match_path(template, name)) is not None]
    if not files:
        where = "no file in the folder is" if path.is_dir() else "it is not"
        raise BadRecord(f"{path}: {where} called {quote_value(template)}, as the mapping says by files")
    if len(files) > MAX_FILES:
        raise BadRecord(f"{path}: over {MAX_FILES:,} files are called {quote_value(template)}")
    return files


def parse_steps(template: str) -> tuple[Step, ...]:
    """Return the steps of a template into JSON, which stand between full stops.

    >>> parse_steps("{article}.annotators.{}")
    (Step(field=None, column='article'), Step(field='annotators', column=''), Step(field=None, column=''))
    """
    return tuple(Step(None, piece[1:-1]) if HOLE.fullmatch(piece) else Step(piece) for piece in template.split("."))
