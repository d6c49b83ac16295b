"""What models judge in a study: kept once, under one signature, and never among people's judgments."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sqlalchemy import Engine, select

from relevance.annotation.model_judgments import JudgeExists, ModelJudgment, ModelStore
from relevance.annotation.records import Study, UnknownStudy
from relevance.annotation.results import export_judgments, load_judgments
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import PairRow
from relevance.data.records import Summary
from relevance.data.store import DataStore, StoreError

Create = Callable[..., Study]

SIGNATURE = "judge: m|model:m|version:1"


@pytest.fixture
def models(engine: Engine) -> ModelStore:
    return ModelStore(engine)


def says(pair: int, straight: str | None, swapped: str | None, reason: str | None = None) -> ModelJudgment:
    """What a model says of a pair, at 40 tokens and a cost of .5."""
    answered = straight is not None and swapped is not None
    verdict = (straight if straight == swapped else "orders disagree") if answered else None
    tokens = (30, 10, 0.5, "m-1") if answered else (None, None, None, None)
    return ModelJudgment(pair, verdict, straight, swapped, reason, *tokens)


def ids(models: ModelStore) -> list[int]:
    return [pair.id for pair in models.pairs("S")]


def test_the_pairs_are_those_that_annotators_see(models: ModelStore, create: Create) -> None:
    create(rule="all", systems=("a", "b"), checks=1)
    *pairs, check = models.pairs("S")
    # d5 is left out, as its texts are the same
    assert sorted((pair.document, {pair.first[0], pair.second[0]} == {"a", "b"}) for pair in pairs) == [
        (f"title {n}\n\nsource {n}", True) for n in range(5)
    ]
    assert check.first[-1] != check.second[-1]  # one of the two is of another document


def test_a_title_that_is_one_of_the_two_does_not_stand_over_them(
    models: ModelStore, create: Create, data_store: DataStore
) -> None:
    data_store.add_summaries(dataset="news", summaries=[Summary(f"d{n}", "copy", f"title {n}") for n in range(5)])
    create(rule="all", systems=("a", "copy"))
    assert sorted(pair.document for pair in models.pairs("S")) == [f"source {n}" for n in range(5)]


def test_verdicts_are_columns_beside_the_judgments(
    models: ModelStore, create: Create, annotation_store: AnnotationStore
) -> None:
    create(rule="all", systems=("a", "b"), checks=2, ties=True)
    *pairs, check, other_check = ids(models)
    expected = expected_of(models, [check, other_check])
    orders = [("first", "first"), ("second", "second"), ("tie", "tie"), ("first", "second"), (None, "first")]
    judgments = [says(pair, *order, None if order[0] else "refused") for pair, order in zip(pairs, orders, strict=True)]
    judgments += [says(check, expected[0], expected[0]), says(other_check, "tie", "tie")]
    assert models.add("S", "m", SIGNATURE, judgments) == 6
    (result,) = models.verdicts("S")
    assert result.name == "m"
    assert result.signature == SIGNATURE
    assert (result.firsts.tolist(), result.seconds.tolist()) == (["a"] * 5, ["b"] * 5)
    np.testing.assert_equal(result.straight, [1, -1, 0, 1, np.nan])
    np.testing.assert_equal(result.swapped, [1, -1, 0, -1, 1])
    assert result.reasons.tolist() == [None, None, None, None, "refused"]
    assert result.answered.tolist() == [True, True, True, True, False]
    np.testing.assert_equal(result.scores, [[1, 0], [0, 1], [0.5, 0.5], [0.5, 0.5], [np.nan, np.nan]])
    np.testing.assert_equal(result.tokens_in, [30, 30, 30, 30, np.nan])
    np.testing.assert_equal(result.cost, [0.5, 0.5, 0.5, 0.5, np.nan])
    assert result.checks == (1, 2)  # a tie does not pass
    assert result.answered_by == ("m-1",)
    assert len(result.of_systems(["a"]).documents) == 0
    assert result.of_systems(["a", "b"]).straight.shape == (5,)
    preferences = load_judgments(annotation_store, "S")
    np.testing.assert_equal(preferences.scores[SIGNATURE], result.scores)
    assert preferences.documents.tolist() == result.documents.tolist()
    assert len(preferences) == 0  # nobody has judged
    assert annotation_store.annotators("S") == export_judgments(annotation_store, "S") == []


def expected_of(models: ModelStore, checks: Sequence[int]) -> list[str]:
    with models.reading() as session:
        rows = [session.scalars(select(PairRow).where(PairRow.id == pair)).one() for pair in checks]
        return ["first" if row.expected_id == row.first_id else "second" for row in rows]


def test_a_verdict_stands_and_a_pair_without_one_is_tried_again(models: ModelStore, create: Create) -> None:
    create(rule="all", systems=("a", "b"))
    first, second, *_ = ids(models)
    models.add("S", "m", SIGNATURE, [says(first, "first", "first"), says(second, None, "tie", "no verdict")])
    assert models.judged("S", "m", SIGNATURE) == {first}
    assert [(model.name, model.judged) for model in models.models("S")] == [("m", 1)]
    assert models.add("S", "m", SIGNATURE, [says(first, "tie", "tie"), says(second, "tie", "tie")]) == 1
    assert models.judged("S", "m", SIGNATURE) == {first, second}
    (result,) = models.verdicts("S")
    assert result.straight[:2].tolist() == [1, 0]
    assert result.reasons.tolist() == [None] * 5
    assert [record["verdict"] for record in models.export("S")] == ["first", "tie"]


def test_another_signature_wants_another_name(models: ModelStore, create: Create) -> None:
    create(rule="all", systems=("a", "b"))
    pair = ids(models)[0]
    models.add("S", "m", SIGNATURE, [says(pair, "first", "first")])
    other = SIGNATURE.replace("version:1", "version:2")
    for call in (lambda: models.add("S", "m", other, []), lambda: models.judged("S", "m", other)):
        with pytest.raises(JudgeExists, match="other settings need another name"):
            call()
    models.add("S", "n", other.replace(": m", ": n"), [says(pair, "tie", "tie")])
    assert [model.name for model in models.models("S")] == ["m", "n"]


def test_what_is_no_model_or_pair_of_the_study_is_refused(models: ModelStore, create: Create) -> None:
    create(rule="all", systems=("a", "b"))
    create(name="T", rule="all", systems=("a", "b"))
    elsewhere = models.pairs("T")[0].id
    with pytest.raises(StoreError, match="not pairs of this study"):
        models.add("S", "m", SIGNATURE, [says(elsewhere, "tie", "tie")])
    with pytest.raises(StoreError, match="separates the settings"):
        models.add("S", "a|b", SIGNATURE, [])
    with pytest.raises(UnknownStudy):
        models.add("U", "m", SIGNATURE, [])
    assert models.verdicts("S") == []
