"""Counts over a folder of shards, read one shard at a time."""

from collections import Counter
from dataclasses import dataclass, field

from relevance.data.shards import MISSING, SCORE, SYSTEM, TRUNCATED
from relevance.distributed.running import Outcome
from relevance.distributed.work import FAILED


@dataclass
class ScoreCounts:
    """The counts of a column of scores over all shards."""

    scores: int = 0
    missing: int = 0
    truncated: int = 0
    total: float = 0.0
    """The sum of the scores."""
    failures: Counter[str] = field(default_factory=Counter)
    """The reasons why the metric failed, with the number of missing scores."""
    reasons: Counter[str | None] = field(default_factory=Counter)
    """All other reasons why scores are missing, with their numbers."""

    @property
    def mean(self) -> float | None:
        """The mean of the scores."""
        return self.total / self.scores if self.scores else None


def count_scores(outcome: Outcome, name: str) -> ScoreCounts:
    """Count the scores in a column of all shards."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    counts = ScoreCounts()
    columns = [f"{SCORE}{name}", f"{MISSING}{name}", f"{TRUNCATED}{name}"]
    for shard in outcome.manifest.shards:
        table = pq.read_table(outcome.folder / shard.file, columns=columns)
        scores = table[columns[0]]
        counts.scores += len(scores) - scores.null_count
        counts.missing += scores.null_count
        counts.truncated += pc.sum(table[columns[2]]).as_py() or 0
        counts.total += pc.sum(scores).as_py() or 0.0
        for entry in pc.value_counts(table[columns[1]]).to_pylist():
            if (reason := entry["values"]) is not None:
                if reason.startswith(FAILED):
                    counts.failures[reason.removeprefix(FAILED)] += entry["counts"]
                else:
                    counts.reasons[reason] += entry["counts"]
    return counts


@dataclass
class OracleCounts:
    """The results of an oracle over all shards."""

    documents: int = 0
    """The number of documents that have an oracle."""
    missing: int = 0
    """The number of documents that have none."""
    proven: int = 0
    """The number of documents whose F1 is known to be the highest."""
    total: float = 0.0
    """The sum of the F1."""

    @property
    def mean(self) -> float | None:
        """The mean F1 of the documents that have an oracle."""
        return self.total / self.documents if self.documents else None


def count_oracles(outcome: Outcome) -> dict[str, OracleCounts]:
    """Count the results of each oracle, by its name."""
    import pyarrow.parquet as pq

    by_name = {name: OracleCounts() for name in outcome.manifest.signatures}
    columns = [SYSTEM, f"{SCORE}f1", "proven"]
    for shard in outcome.manifest.shards:
        table = pq.read_table(outcome.folder / shard.file, columns=columns)
        for system, f1, proven in zip(*(table[name].to_pylist() for name in columns), strict=True):
            counts = by_name[system]
            counts.documents += f1 is not None
            counts.missing += f1 is None
            counts.proven += proven
            counts.total += f1 or 0.0
    return by_name
