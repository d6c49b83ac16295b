"""What a list of pairs should have, pair by pair: the slow way, of which the pages' columns are the quick one."""

import numpy as np
import pandas as pd

from relevance.data.one_line import in_one_line
from relevance.data.preferences import Preferences
from relevance.pages.components.examples.pairs import PairFilter, filter_pairs, firmest, verdicts


def make_pairs_frame(preferences: Preferences, chosen: PairFilter) -> pd.DataFrame:
    """The pairs that a filter leaves, in the order of the list; the place of the pair's entry is the index."""
    found = verdicts(preferences)
    strength = firmest(found, chosen)
    keep = filter_pairs(found, chosen)
    names = zip(preferences.document, preferences.first, preferences.second, strict=True)
    words = {1: "A", 0: "tie", -1: "B"}
    rows = {
        entry: [*map(in_one_line, of), words.get(found.people[entry], "split"), strength[entry]]
        for entry, of in enumerate(names)
        if keep[entry] and any(in_one_line(chosen.search).casefold() in in_one_line(name).casefold() for name in of)
    }
    order = sorted(rows, key=lambda entry: (rows[entry][3] not in ("A", "B"), -strength[entry]))
    columns = ["document", "A", "B", "people", "how strongly"]
    return pd.DataFrame([rows[entry] for entry in order], columns=columns, index=np.array(order, dtype=int))


def list_documents(rows: pd.DataFrame) -> pd.DataFrame:
    """A row a document of a list of pairs, in the order of their first: `document`, `how strongly`."""
    of_document = rows.groupby("document", sort=False)
    return pd.DataFrame({"how strongly": of_document["how strongly"].first().astype(np.float32)}).reset_index()
