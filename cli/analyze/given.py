"""Scores that came with a corpus, as columns of the analysis."""

from dataclasses import replace

import click
import numpy as np
from click.core import ParameterSource
from numpy.typing import NDArray

from relevance.cli.shared import Records
from relevance.data.cells import Cells
from relevance.data.signatures import given_signature, is_given
from relevance.data.store import DataStore
from relevance.metrics.scoring import MissingCounts


def with_given(
    cells: Cells, gaps: dict[str, MissingCounts], store: DataStore | None, name: str, records: Records
) -> tuple[Cells, dict[str, MissingCounts]]:
    """Add the scores that came with a file or with a data set of the `store`, unless --metrics names the metrics.

    `gaps` are the numbers of missing scores, by signature. A file's scores have only a name, a data set's a signature
    that names their corpus.
    """
    if click.get_current_context().get_parameter_source("names") == ParameterSource.COMMANDLINE:
        return cells, gaps
    columns = columns_of_file(cells, records) if store is None else columns_of_dataset(cells, store, name)
    missing = {signature: MissingCounts(int(np.isnan(values).sum()), 0) for signature, values in columns.items()}
    return replace(cells, scores={**cells.scores, **columns}), gaps | missing


def columns_of_file(cells: Cells, records: Records) -> dict[str, NDArray[np.float64]]:
    """Read the scores in a file, for the given cells; NaN if there is none."""
    given = {
        (summary.document_id, summary.system): dict(summary.given) for _, summaries in records for summary in summaries
    }
    of_cells = [given[key] for key in zip(cells.documents, cells.systems, strict=True)]
    names = dict.fromkeys(name for scores in of_cells for name in scores)
    return {
        given_signature(name): np.array([given.get(name, np.nan) for given in of_cells], dtype=np.float64)
        for name in names
    }


def columns_of_dataset(cells: Cells, store: DataStore, name: str) -> dict[str, NDArray[np.float64]]:
    """Read the scores that came with a data set, for the given cells; NaN if there is none."""
    keys = list(zip(cells.documents, cells.systems, strict=True))
    columns = {}
    for signature in filter(is_given, (stored.signature for stored in store.signatures(name))):
        scores = store.scores(dataset=name, signature=signature)
        values = [scores[key].value if key in scores else None for key in keys]
        columns[signature] = np.array(values, dtype=np.float64)
    return columns
