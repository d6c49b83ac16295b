"""What a list of pairs should have, pair by pair: the slow way, of which the pages' columns are the quick one."""

import numpy as np
import pandas as pd

from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.pages.components.examples.pairs import PairFilter, Verdicts, filter_pairs, firmest, verdicts


def make_pairs_frame(preferences: Preferences, chosen: PairFilter) -> pd.DataFrame:
    """The pairs that a filter leaves, in the order of the list; the place of the pair's entry is the index."""
    result = verdicts(preferences)
    strength = firmest(result, chosen)
    keep = filter_pairs(result, chosen)
    names = zip(preferences.document, preferences.first, preferences.second, strict=True)
    words = {1: "A", 0: "tie", -1: "B"}
    rows = {
        entry: [
            *map(in_one_line, of),
            words.get(result.people[entry], "split"),
            wrong_of(result, entry),
            strength[entry],
        ]
        for entry, of in enumerate(names)
        if keep[entry] and any(in_one_line(chosen.search).casefold() in in_one_line(name).casefold() for name in of)
    }
    order = sorted(rows, key=lambda entry: (rows[entry][3] not in ("A", "B"), -strength[entry]))
    columns = ["document", "A", "B", "people", "wrong", "how strongly"]
    return pd.DataFrame([rows[entry] for entry in order], columns=columns, index=np.array(order, dtype=int))


def wrong_of(verdicts: Verdicts, entry: int) -> str:
    """The metrics that are wrong on a pair, or all but those that are not, if these are fewer."""
    people = verdicts.people[entry]
    if people not in (1, -1):
        return ""
    wrong = [name for name, signs in verdicts.signs.items() if signs[entry] == -people]
    others = [name for name in verdicts.signs if name not in wrong]
    few = ", ".join(wrong) if len(wrong) <= len(others) else f"all but {', '.join(others)}"
    return few if wrong and others else "none" if not wrong else f"all {len(wrong)}" if wrong[1:] else wrong[0]


def list_documents(rows: pd.DataFrame) -> pd.DataFrame:
    """A row a document of a list of pairs, in the order of their first: `document`, `wrong`, `how strongly`."""
    of_document = rows.groupby("document", sort=False)[["wrong", "how strongly"]]
    return of_document.first().astype({"how strongly": np.float32}).reset_index()
