"""Scoring runs: a metric that fails leaves the others alone, and a run that was cut short goes on where it stopped."""

from pathlib import Path

import pytest

from relevance.data.records import Document, Example, Summary, make_examples
from relevance.data.store import DataStore, StoredScore
from relevance.metrics import lexical_metrics, make_metrics, scoring
from relevance.metrics.base import Score
from relevance.metrics.bertscore import BertScore
from relevance.metrics.explained import explain
from relevance.metrics.length import Length
from relevance.metrics.models.files import embedded_model
from relevance.metrics.rouge import RougeN
from relevance.metrics.scoring import Failures, score_dataset, score_record, score_records

RECORDS = [
    (
        Document(f"d{d}", "A source.", (f"The cat number {d} sat.", "A cat.")),
        [Summary(f"d{d}", f"s{s}", f"A cat of {s} sat {d} times.") for s in range(3)],
    )
    for d in range(4)
]
PAIRS = {(f"d{d}", f"s{s}") for d in range(4) for s in range(3)}


@pytest.fixture
def absent_model(tmp_path: Path) -> Path:
    """Where a model is not yet."""
    return tmp_path / "model"


@pytest.fixture
def dataset(data_store: DataStore) -> DataStore:
    data_store.add_dataset(name="cats", format="interchange", sha256="0" * 64, records=RECORDS)
    return data_store


class Counting:
    """A metric that notes how many examples it is asked for."""

    name = "counting"
    signature = "counting|version:0.2.0"

    def __init__(self) -> None:
        self.batches: list[int] = []

    def score(self, examples: list[Example]) -> list[Score]:
        self.batches.append(len(examples))
        return [Score(float(len(e.candidate))) for e in examples]


@pytest.mark.parametrize("name", lexical_metrics())
@pytest.mark.parametrize("empty", ["", " \n\u2028"])
def test_an_empty_summary_has_no_score(name: str, empty: str) -> None:
    """Without this, ROUGE-K is 0 and so is length: a system that writes nothing would be the worst of all."""
    document = Document("d", "A cat sat.", ("The cat sat.", "A cat sat there."))
    texts = {"a": "A cat.", "nothing": empty, "b": "A dog sat."}
    record = document, [Summary("d", system, text) for system, text in texts.items()]
    (made,) = make_metrics([name])
    by_name = {example.system: scores[name] for example, scores in score_records([record], [made])}
    assert (by_name["nothing"].value, by_name["nothing"].missing) == (None, "the summary is empty")
    alone = score_records([(document, [record[1][0], record[1][2]])], [made])
    assert {system: by_name[system].value for system in "ab"} == {e.system: s[name].value for e, s in alone}
    assert explain(made, make_examples(*record)[1]).missing == "the summary is empty"


def test_a_metric_is_not_asked_for_empty_summaries_only() -> None:
    counting, summaries = Counting(), [Summary("d", system, "") for system in "ab"]
    records = list(score_records([(Document("d", "", ("r",)), summaries)], [counting]))
    assert [scores["counting"].missing for _, scores in records] == ["the summary is empty"] * 2
    assert counting.batches == []


# --- records ------------------------------------------------------------------------------------------------


def test_a_metric_that_fails_leaves_the_others_alone(absent_model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "DOCUMENTS", 1)
    failures = Failures()
    metrics = [RougeN(1), BertScore(model=str(absent_model), layer=2), Length()]
    scored = list(score_records(RECORDS, metrics, failures))
    assert [(e.document_id, e.system) for e, _ in scored] == sorted(PAIRS)
    assert failures.keys() == {"bertscore"}
    assert failures["bertscore"].startswith(f"the model '{absent_model}' is not on this machine: name a folder")
    for e, scores in scored:
        assert list(scores) == ["rouge1", "bertscore", "length"]
        assert scores["rouge1"].value is not None
        assert scores["length"].value == 7
        assert (scores["bertscore"].value, scores["bertscore"].missing) == (None, f"failed: {failures['bertscore']}")
        record = score_record(e, scores)
        assert record["metrics"]["bertscore"] is None
        assert record["missing"] == {"bertscore": f"failed: {failures['bertscore']}"}
        assert "truncated" not in record


def test_one_batch_that_fails_leaves_the_other_documents_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(Counting):
        def score(self, examples: list[Example]) -> list[Score]:
            super().score(examples)
            if len(self.batches) == 2:
                raise RuntimeError("an odd text")
            return [Score(float("nan")) for _ in examples]

    monkeypatch.setattr(scoring, "DOCUMENTS", 1)
    odd, failures = Odd(), Failures()
    reasons = [scores["counting"].missing for _, scores in score_records(RECORDS, [odd], failures)]
    assert odd.batches == [3] * (len(PAIRS) // 3)
    assert reasons.count("failed: RuntimeError: an odd text") == 3
    assert reasons.count("the metric gave no number") == len(PAIRS) - 3
    assert failures == {"counting": "RuntimeError: an odd text"}


def test_a_metric_that_keeps_failing_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(Counting):
        def score(self, examples: list[Example]) -> list[Score]:
            super().score(examples)
            raise RuntimeError("out of memory")

    monkeypatch.setattr(scoring, "DOCUMENTS", 1)
    monkeypatch.setattr(scoring, "ENOUGH", 2)
    broken, failures = Broken(), Failures()
    assert len(list(score_records(RECORDS, [broken], failures))) == len(PAIRS)
    assert broken.batches == [3, 3]
    assert failures == {"counting": "RuntimeError: out of memory"}


def test_without_a_place_for_reasons_they_are_in_the_scores(absent_model: Path) -> None:
    ((_, scores), *_) = score_records(RECORDS, [BertScore(model=str(absent_model), layer=2)])
    assert (scores["bertscore"].missing or "").startswith("failed: the model ")


def test_truncated_scores_are_named_in_score_files() -> None:
    long = [(Document("d", "", ("A cat.",)), [Summary("d", "s", "cat " * 600), Summary("d", "t", "A cat.")])]
    records = [score_record(e, scores) for e, scores in score_records(long, [Length(), BertScore()])]
    assert [record.get("truncated") for record in records] == [["bertscore"], None]


# --- data sets ----------------------------------------------------------------------------------------------


def test_what_a_failing_metric_leaves_undone_is_done_by_the_next_run(dataset: DataStore, absent_model: Path) -> None:
    failures = Failures()
    seen: list[tuple[int, int]] = []
    broken = BertScore(model=str(absent_model), layer=2)
    computed = score_dataset(dataset, "cats", [Length(), broken], lambda *counts: seen.append(counts), failures)
    assert computed == {"length": 12, "bertscore": 0}
    assert seen == [(0, 24), (12, 24), (24, 24)]
    assert failures.keys() == {"bertscore"}
    assert [signature.metric for signature in dataset.signatures("cats")] == ["length"]

    absent_model.symlink_to(embedded_model().folder)  # the model arrives
    counting, failures = Counting(), Failures()
    repaired = BertScore(model=str(absent_model), layer=2)
    assert score_dataset(dataset, "cats", [Length(), repaired, counting], failures=failures) == {
        "length": 0,
        "bertscore": 12,
        "counting": 12,
    }
    assert failures == {}
    assert counting.batches == [12]
    stored = dataset.scores(dataset="cats", signature=repaired.signature)
    assert stored.keys() == PAIRS
    assert all(score.value is not None and not score.truncated for score in stored.values())
    assert score_dataset(dataset, "cats", [Length(), repaired]) == {"length": 0, "bertscore": 0}
    assert "unavailable" not in repaired.signature


def test_a_model_that_is_only_half_there_ends_no_run(dataset: DataStore, absent_model: Path) -> None:
    """Its signature is asked for too, before it is run."""
    absent_model.mkdir()
    (absent_model / "model.safetensors.index.json").write_text('{"weight_map": {"a": "1.safetensors"}}')
    failures = Failures()
    metrics = [BertScore(model=str(absent_model), layer=2), Length()]
    assert score_dataset(dataset, "cats", metrics, failures=failures) == {"bertscore": 0, "length": 12}
    assert "1.safetensors is missing" in failures["bertscore"]


def test_missing_and_truncated_scores_are_stored_as_such(data_store: DataStore) -> None:
    long = [(Document("d", "", ("A cat.",)), [Summary("d", "s", "cat " * 600), Summary("d", "t", " ")])]
    data_store.add_dataset(name="long", format="interchange", sha256="0" * 64, records=long)
    bertscore = BertScore()
    assert score_dataset(data_store, "long", [bertscore]) == {"bertscore": 2}
    stored = data_store.scores(dataset="long", signature=bertscore.signature)
    assert stored["d", "t"] == StoredScore(None, "the summary is empty", False)
    assert stored["d", "s"].truncated
    assert stored["d", "s"].value is not None


def test_a_run_that_was_cut_short_goes_on_where_it_stopped(dataset: DataStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "BATCH", 5)
    counting = Counting()
    seen: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> None:
        seen.append((done, total))
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_dataset(dataset, "cats", [counting, Length()], stop)
    assert seen == [(0, 24), (5, 24)]
    assert [(signature.metric, signature.scored) for signature in dataset.signatures("cats")] == [("counting", 5)]
    seen.clear()
    computed = score_dataset(dataset, "cats", [counting, Length()], lambda *counts: seen.append(counts))
    assert computed == {"counting": 7, "length": 12}
    assert counting.batches == [5, 5, 2]  # the first five are not asked for again
    assert seen == [(0, 19), (5, 19), (10, 19), (15, 19), (17, 19), (19, 19)]
    assert dataset.scores(dataset="cats", signature=counting.signature).keys() == PAIRS
    assert score_dataset(dataset, "cats", [counting]) == {"counting": 0}
    assert len(counting.batches) == 3
