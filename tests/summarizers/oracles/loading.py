"""The stored rows of a data set's documents, as tests of runs compare them."""

from relevance.data.store import DataStore
from relevance.summarizers.oracles.evaluation import OracleEvaluation, OracleTask, known_bounds, rows_among


def load_evaluation(store: DataStore, dataset: str, task: OracleTask, *, first: int | None = None) -> OracleEvaluation:
    """The rows of the documents, or the `first` of them, that have a row of every algorithm."""
    documents = [document for document, _ in store.records(dataset)[:first]]
    return OracleEvaluation(rows_among(documents, task, known_bounds(store, dataset, task)), ())
