"""What a folder of scored shards has, told shard by shard."""

from collections import Counter
from dataclasses import dataclass, field

from data.shards import MISSING, SCORE, SYSTEM, TRUNCATED
from distributed.running import Outcome
from distributed.work import FAILED


@dataclass
class ScoreCounts:
    """A column of scores over all shards."""

    scores: int = 0
    missing: int = 0
    truncated: int = 0
    total: float = 0.0
    """Sum of the scores."""
    failures: Counter[str] = field(default_factory=Counter)
    """Why the metric failed, with how many scores lack for it."""

    @property
    def mean(self) -> float | None:
        """Mean of the scores that there are."""
        return self.total / self.scores if self.scores else None


def count_scores(outcome: Outcome, name: str) -> ScoreCounts:
    """Count the scores in a column of all shards."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    found = ScoreCounts()
    columns = [f"{SCORE}{name}", f"{MISSING}{name}", f"{TRUNCATED}{name}"]
    for shard in outcome.manifest.shards:
        table = pq.read_table(outcome.folder / shard.file, columns=columns)
        scores = table[columns[0]]
        found.scores += len(scores) - scores.null_count
        found.missing += scores.null_count
        found.truncated += pc.sum(table[columns[2]]).as_py() or 0
        found.total += pc.sum(scores).as_py() or 0.0
        for entry in pc.value_counts(table[columns[1]]).to_pylist():
            if (reason := entry["values"]) is not None and reason.startswith(FAILED):
                found.failures[reason.removeprefix(FAILED)] += entry["counts"]
    return found


@dataclass
class OracleCounts:
    """What an oracle reached over all shards."""

    documents: int = 0
    """That have an oracle."""
    missing: int = 0
    """That have none."""
    proven: int = 0
    """Whose F1 is known to be the highest."""
    total: float = 0.0
    """Sum of the F1."""

    @property
    def mean(self) -> float | None:
        """Mean F1 of the documents that have an oracle."""
        return self.total / self.documents if self.documents else None


def count_oracles(outcome: Outcome) -> dict[str, OracleCounts]:
    """What each oracle reached, by its name."""
    import pyarrow.parquet as pq

    found = {name: OracleCounts() for name in outcome.manifest.signatures}
    columns = [SYSTEM, f"{SCORE}f1", "proven"]
    for shard in outcome.manifest.shards:
        table = pq.read_table(outcome.folder / shard.file, columns=columns)
        for system, f1, proven in zip(*(table[name].to_pylist() for name in columns), strict=True):
            counts = found[system]
            counts.documents += f1 is not None
            counts.missing += f1 is None
            counts.proven += proven
            counts.total += f1 or 0.0
    return found
