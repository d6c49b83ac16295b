"""The roles of the columns of a table of ranks, or of the best and the worst, by their names."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from relevance.data import reading
from relevance.data.importers.called import WIDE, find_roles, fold_name, name_systems
from relevance.data.importers.choice_columns import SYSTEMS, TEXTS, find_choice_roles
from relevance.data.importers.mapping import BEST, CHOICE, OF_RANKS, OF_SYSTEM, RANK, WORST
from relevance.data.importers.pairwise import LEFT, RIGHT
from relevance.data.importers.rows import as_text

CALLED_BEST = {
    BEST: ("best", "best_summary", "best_system", "best_model", "best_output", "most_preferred", "favorite"),
    WORST: ("worst", "worst_summary", "worst_system", "worst_model", "worst_output", "least_preferred"),
}
"""Usual names of the columns of the best and the worst."""
RANKED = re.compile(r"(?:(?P<before>.+)_)?(?:rank|ranking)(?:_(?P<after>.+))?")
"""A usual name of a column of ranks, with its question or its system."""
RANK_WORD = re.compile(r"(?:^|[ _.\-]+)rank(?:ing)?(?:[ _.\-]+|$)", re.IGNORECASE)
ORDINAL = re.compile(r"(\d+(?:\.\d+)?)(?:st|nd|rd|th)?")
PLACES = (*"abcdefgh", *"12345678")
"""Names of the first eight of several."""
FEWEST = 3
"""The fewest summaries side by side of which one is the best; of two, it is a choice."""


def fits(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether columns of these names are those of a table of ranks; `rows` are some of it."""
    roles = find_rank_roles(names, rows)
    if "system" in find_roles(names, rows):
        return any(is_of_ranks(role) for role in roles)
    shown = sum(role.startswith(WIDE) for role in roles)
    ranked = sum(role.startswith(f"{RANK}.") for role in roles)
    return ranked > 1 or (BEST in roles and shown >= FEWEST) or (WORST in roles and shown > 1)


def is_of_ranks(role: str) -> bool:
    """Tell whether a role is that of a column of ranks, or of the best or the worst."""
    return role.partition(".")[0] in OF_RANKS


def find_rank_roles(names: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Map the roles of ranks, of the best and the worst, and of summaries side by side to columns that are called so.

    >>> find_rank_roles(["doc", "summary_a", "summary_b", "summary_c", "best", "worst"], [])
    {'summary.a': 'summary_a', 'summary.b': 'summary_b', 'summary.c': 'summary_c', 'best': 'best', 'worst': 'worst'}
    >>> find_rank_roles(["doc", "system", "summary", "overall-rank", "worker"], [])
    {'rank.overall': 'overall-rank'}
    """
    folded = {fold_name(name): name for name in reversed(names)}
    ranked = {name: match for name in names if (match := RANKED.fullmatch(fold_name(name))) and holds_ranks(name, rows)}
    if "system" in find_roles(names, rows):
        return {
            f"{RANK}.{match['before']}" if match["before"] else RANK: name
            for name, match in ranked.items()
            if not match["after"]
        }
    texts = find_several(names, TEXTS) or {system: name for name, system in name_systems([*names]).items()}
    # without texts, ranks alone say who was compared
    shown = texts or {system: name for name in ranked if (system := RANK_WORD.sub("", name))}
    keys = {fold_name(key): key for key in shown}
    roles = {f"{WIDE}{key}": name for key, name in texts.items()}
    for key, name in find_several(names, SYSTEMS).items():
        roles[f"{OF_SYSTEM}{keys.get(fold_name(key), key)}"] = name
    for name in ranked:
        if (of := keys.get(fold_name(RANK_WORD.sub("", name)))) is not None:
            roles[f"{RANK}.{of}"] = name
    for role, called in CALLED_BEST.items():
        if known := [folded[name] for name in called if name in folded]:
            roles[role] = known[0]
    return roles


def find_several(names: Sequence[str], stems: Sequence[str]) -> dict[str, str]:
    """Map what columns such as `text_a`, `text_b` and `text_c` end with to their names; nothing without two."""
    folded = {fold_name(name): name for name in reversed(names)}
    for stem in stems:
        columns = {}
        for place in PLACES if stem else PLACES[: len(PLACES) // 2]:
            name = folded.get(f"{stem}_{place}" if stem else place, folded.get(f"{stem}{place}"))
            if name is not None:
                columns[re.split(r"[ _.\-]", name)[-1][-1]] = name
        if len(columns) > 1:
            return columns
    return {}


def holds_ranks(name: str, rows: Sequence[Mapping[str, Any]]) -> bool:
    """Tell whether most values of a column are ranks, beside what says that there is none; others are refused later."""
    values = [as_text(row[name]) for row in rows if not reading.is_missing(row.get(name))]
    return 2 * sum(map(bool, map(ORDINAL.fullmatch, values))) >= len(values)


def find_others(names: Sequence[str], rows: Sequence[Mapping[str, Any]], told: Mapping[str, str]) -> dict[str, str]:
    """Map roles that tables of choices have, too, to columns that are called so, except those that were `told`."""
    return {
        role: name
        for role, name in find_choice_roles(names, rows).items()
        if role not in told and not role.startswith((LEFT, RIGHT, CHOICE))
    }
