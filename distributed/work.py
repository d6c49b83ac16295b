"""The work on a shard: scores, summaries, oracles or the questions of APES, each as columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from relevance.data.records import Example, Summary
from relevance.data.shards import DOCUMENT, MISSING, RATING, SCORE, SYSTEM, TRUNCATED, ShardFacts
from relevance.distributed.encoding import encode, versions
from relevance.distributed.sources import Piece, Records, read_piece
from relevance.metrics.base import Metric, Score
from relevance.metrics.models.encoder import forget_texts
from relevance.metrics.registry import is_lexical
from relevance.metrics.scoring import score_records
from relevance.summarizers.adding import describe_trained_on, marked, trained_ids
from relevance.summarizers.base import BatchSummarizer, Summarizer
from relevance.summarizers.oracles.evaluation import OracleTask, rows_of, why_left_out
from relevance.summarizers.oracles.oracle import Oracle
from relevance.summarizers.sentences import sentences_of

if TYPE_CHECKING:
    from relevance.metrics.apes import Apes

FAILED = "failed: "
"""The start of a missing score's reason if its metric failed."""

Columns = Mapping[str, Any]
"""Arrow arrays by the names of columns."""


class Work(Protocol):
    """The interface of work; it is sent to other processes, which load its models when they first need them."""

    @property
    def kind(self) -> str:
        """The kind of results: scores, summaries, oracles or questions."""

    @property
    def signatures(self) -> Mapping[str, str]:
        """The signatures, by name, of all that the values depend on."""

    @property
    def needs_model(self) -> bool:
        """True if a process keeps something for it that takes long to load."""

    def columns(self, records: Records) -> Columns:
        """Return the columns of a shard with these documents."""


@dataclass(frozen=True)
class MadeShard:
    """The bytes of a shard's file, and the number of its documents."""

    data: bytes
    documents: int


def make_shard(work: Work, piece: Piece) -> MadeShard:
    """Make the shard of a piece, with the same bytes anywhere. Raises `BadRecord`, `ChangedInput`, OSError."""
    records = read_piece(piece)
    forget_texts()
    return MadeShard(encode(work.columns(records), facts_of(work, piece)), len(records))


def facts_of(work: Work, piece: Piece) -> ShardFacts:
    """Return the facts that a shard's file stores."""
    return ShardFacts(
        kind=work.kind,
        signatures=dict(work.signatures),
        input=piece.input,
        sha256=piece.sha256,
        lines=piece.lines,
        versions=versions(),
    )


@dataclass(frozen=True)
class ScoreWork:
    """Scores of all summaries by several metrics."""

    metrics: tuple[Metric, ...]
    kind = "scores"

    @property
    def signatures(self) -> dict[str, str]:
        """The metrics' signatures by name."""
        return {metric.name: metric.signature for metric in self.metrics}

    @property
    def needs_model(self) -> bool:
        """True if one of the metrics needs a model."""
        return not all(is_lexical(metric.signature) for metric in self.metrics)

    def columns(self, records: Records) -> Columns:
        """Return a row per summary, in the order of the input."""
        rows = list(score_records(records, self.metrics))
        return {**of_summaries(records), **of_scores([metric.name for metric in self.metrics], rows)}


def of_summaries(records: Records) -> Columns:
    """Return the columns that identify summaries and have their ratings."""
    import pyarrow as pa

    summaries = [summary for _, written in records for summary in written]
    aspects = sorted({aspect for summary in summaries for aspect in summary.human})
    return {
        DOCUMENT: pa.array([summary.document_id for summary in summaries], pa.string()),
        SYSTEM: pa.array([summary.system for summary in summaries], pa.string()),
        **{
            f"{RATING}{aspect}": pa.array([summary.human.get(aspect) for summary in summaries], pa.float64())
            for aspect in aspects
        },
    }


def of_scores(names: Iterable[str], rows: Sequence[tuple[Example, Mapping[str, Score]]]) -> Columns:
    """Return the columns of scores."""
    import pyarrow as pa

    columns: dict[str, Any] = {}
    for name in names:
        scores = [of_row[name] for _, of_row in rows]
        columns[f"{SCORE}{name}"] = pa.array([score.value for score in scores], pa.float64())
        columns[f"{MISSING}{name}"] = pa.array([score.missing for score in scores], pa.string())
        columns[f"{TRUNCATED}{name}"] = pa.array([score.truncated for score in scores], pa.bool_())
    return columns


@dataclass(frozen=True)
class QuestionWork:
    """APES with each question and its answer, as JSON."""

    metric: Apes
    kind = "questions"
    needs_model = True

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of APES by its name."""
        return {self.metric.name: self.metric.signature}

    def columns(self, records: Records) -> Columns:
        """Return the columns of its scores, and `questions`: a list of objects, as `relevance apes` prints them."""
        import pyarrow as pa

        from relevance.metrics.apes.report import trace_record

        rows = list(score_records(records, [self.metric]))
        texts = []
        for _, scores in rows:
            score = scores[self.metric.name]
            traces = () if score.value is None else score.evidence.traces
            trace_records = [trace_record(trace, self.metric.value) for trace in traces]
            texts.append(json.dumps(trace_records, ensure_ascii=False))
        return {
            **of_summaries(records),
            **of_scores([self.metric.name], rows),
            "questions": pa.array(texts, pa.string()),
        }


@dataclass(frozen=True)
class SummaryWork:
    """Summaries by several systems, beside those of the input: a table that can be scored or imported."""

    systems: tuple[Summarizer, ...]
    trained_on: bool = False
    """True if a system also summarizes documents that it was trained on."""
    kind = "summaries"

    @property
    def signatures(self) -> dict[str, str]:
        """The systems' signatures by name."""
        return {system.name: system.signature for system in self.systems}

    @property
    def needs_model(self) -> bool:
        """True if one of the systems loads torch or is a `BatchSummarizer`, as models are."""
        return any(isinstance(system, BatchSummarizer) or getattr(system, "apart", False) for system in self.systems)

    def columns(self, records: Records) -> Columns:
        """Return a row per reference and summary, as `relevance.data.importers.table` reads them. Raises ValueError."""
        written: dict[str, list[Summary]] = {document.id: list(summaries) for document, summaries in records}
        for system in self.systems:
            for summary in self.write(system, records):
                if any(summary.system == other.system for other in written[summary.document_id]):
                    raise ValueError(
                        f"{summary.document_id!r} has a summary by {summary.system!r} in the input already"
                    )
                written[summary.document_id].append(summary)
        return as_table(records, written)

    def write(self, system: Summarizer, records: Records) -> list[Summary]:
        """Return a system's summaries. Raises ValueError for documents that it was trained on, unless allowed."""
        documents = [document for document, _ in records]
        known = trained_ids(system, documents)
        if known and not self.trained_on:
            raise ValueError(describe_trained_on(system.name, len(known), len(documents), "a part of the input"))
        batches = system.plan(documents) if isinstance(system, BatchSummarizer) else [documents]
        outputs = ((len(batch), system.summarize(batch)) for batch in batches)
        return [summary for _, summaries in marked(outputs, known) for summary in summaries]


def as_table(records: Records, written: Mapping[str, Sequence[Summary]]) -> Columns:
    """Return documents and summaries as the columns of a table; further references have rows without a summary."""
    import pyarrow as pa

    rows: list[dict[str, Any]] = []
    for document, _ in records:
        shared = {"document_id": document.id, "title": document.title, "source": document.source_text}
        first = shared | {"reference": document.references[0]} if document.references else shared
        rows += [
            first
            | {"system": summary.system, "summary": summary.text, "remarks": "; ".join(summary.remarks) or None}
            | {f"human.{aspect}": rating for aspect, rating in summary.human.items()}
            for summary in written[document.id]
        ] or [first]
        rows += [shared | {"reference": text} for text in document.references[1:]]
    aspects = sorted({name for row in rows for name in row if name.startswith("human.")})
    texts = ("document_id", "title", "source", "reference", "system", "summary", "remarks")
    return {
        **{name: pa.array([row.get(name) for row in rows], pa.string()) for name in texts},
        **{name: pa.array([row.get(name) for row in rows], pa.float64()) for name in aspects},
    }


@dataclass(frozen=True)
class OracleWork:
    """The highest ROUGE of extracts, a row per document and algorithm, without the time of the search."""

    task: OracleTask
    kind = "oracles"
    needs_model = False

    @property
    def signatures(self) -> dict[str, str]:
        """The signatures of the task's oracles, by their names as systems."""
        task = self.task
        made = (Oracle(name, task.target, task.length, task.seed, task.seconds) for name in task.algorithms)
        return {metric.name: metric.signature for metric in made}

    def columns(self, records: Records) -> Columns:
        """Return F1 as the score of `f1`, with the extract; a document without an oracle has the reason instead."""
        import pyarrow as pa

        names = dict(zip(self.task.algorithms, self.signatures, strict=True))
        rows: list[dict[str, Any]] = []
        for document, _ in records:
            sentences = sentences_of(document)
            own_rows = rows_of(self.task, document)
            rows += [
                {
                    DOCUMENT: document.id,
                    SYSTEM: names[row.algorithm],
                    f"{SCORE}f1": row.f1,
                    "sentences": list(row.places),
                    "text": " ".join(sentences[place] for place in row.places),
                    "reference": row.reference,
                    "bound": row.bound,
                    "proven": row.proven,
                }
                for row in own_rows
            ]
            if not own_rows:
                reason = why_left_out(document, self.task)
                rows += [
                    {DOCUMENT: document.id, SYSTEM: name, f"{MISSING}f1": reason, "proven": False}
                    for name in names.values()
                ]
        types = {
            DOCUMENT: pa.string(),
            SYSTEM: pa.string(),
            f"{SCORE}f1": pa.float64(),
            f"{MISSING}f1": pa.string(),
            "sentences": pa.list_(pa.int32()),
            "text": pa.string(),
            "reference": pa.int32(),
            "bound": pa.float64(),
            "proven": pa.bool_(),
        }
        return {name: pa.array([row.get(name) for row in rows], type) for name, type in types.items()}
