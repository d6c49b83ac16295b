"""Tables of data sets and annotators."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from annotation.store import AnnotatorProgress
from data.store import Dataset


def dataset_table(datasets: Sequence[Dataset]) -> pd.DataFrame:
    """What the list of data sets shows."""
    return pd.DataFrame(
        {
            "data set": dataset.name,
            "format": dataset.format,
            "documents": dataset.documents,
            "summaries": dataset.summaries,
            "systems": ", ".join(dataset.systems),
            "human ratings": ", ".join(dataset.aspects),
            "imported": dataset.imported_at,
        }
        for dataset in datasets
    )


def annotator_table(annotators: Sequence[AnnotatorProgress]) -> pd.DataFrame:
    """What the progress table of a study shows."""
    return pd.DataFrame(
        {
            "annotator": row.annotator,
            "judged": row.judged,
            "skipped": row.skipped,
            "median seconds": row.seconds,
            "chose left": row.left / row.judged if row.judged else None,
            "latest": row.latest,
        }
        for row in annotators
    )
