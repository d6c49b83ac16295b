"""Tables of data sets and annotators."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from annotation.store import AnnotatorProgress
from data.store import Dataset
from pages.components.text import in_one_line


def dataset_table(datasets: Sequence[Dataset]) -> pd.DataFrame:
    """What the list of data sets shows."""
    return pd.DataFrame(
        {
            "data set": in_one_line(dataset.name),
            "format": dataset.format,
            "documents": dataset.documents,
            "summaries": dataset.summaries,
            "systems": in_one_line(", ".join(dataset.systems)),
            "human ratings": in_one_line(", ".join(dataset.aspects)),
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


def annotator_table(annotators: Sequence[AnnotatorProgress]) -> pd.DataFrame:
    """What the progress table of a study shows."""
    return pd.DataFrame(
        {
            "annotator": in_one_line(row.annotator),
            "judged": row.judged,
            "skipped": row.skipped,
            "median seconds": row.seconds,
            "ties": row.ties,
            "chose left": row.left / (row.judged - row.ties) if row.judged > row.ties else None,
            "latest": row.latest,
        }
        for row in annotators
    )
