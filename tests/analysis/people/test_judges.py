"""A judge's answers, counted by hand."""

import numpy as np
import pytest

from relevance.analysis.people.judges import summarize_judge
from relevance.analysis.ratio_intervals import Ratio, ratio_intervals
from relevance.analysis.study import Inputs, Results, analyze_judgments
from relevance.data.cells import Cells
from relevance.data.model_verdicts import Verdicts
from relevance.data.preferences import Preferences, to_name_column
from relevance.data.signatures import is_judge, labels
from relevance.reports.presentation import Presentation
from relevance.reports.tables.registry import make_table, table_names
from relevance.reports.tables.table import Range, Undefined

NAN = np.nan
SIGNATURE = "judge: gpt|model:gpt|version:1"
STRAIGHT = [1, -1, 0, 1, -1, 1, NAN, NAN]
SWAPPED = [1, -1, 0, -1, 1, 0, 1, NAN]
"""Three pairs are alike; then come what was shown first, what was shown last, the first or neither, a pair without a
verdict as it stands, and one that was not asked about."""


def verdicts(**changes: object) -> Verdicts:
    numbers = np.array([30.0] * 6 + [NAN, NAN])
    columns = {
        "signature": SIGNATURE,
        "documents": to_name_column(list("aabbccdd")),
        "firsts": to_name_column(["x"] * 8),
        "seconds": to_name_column([*"yyyyyyyz"]),
        "straight": np.array(STRAIGHT),
        "swapped": np.array(SWAPPED),
        "reasons": to_name_column([None] * 6 + ["refused: no", None]),
        "tokens_in": numbers,
        "tokens_out": numbers / 10,
        "cost": np.full(8, NAN),
        "checks": (1, 2),
        "answered_by": ("gpt-1",),
    }
    return Verdicts(**(columns | changes))  # type: ignore[arg-type]


def test_what_a_judge_says_is_counted() -> None:
    result = summarize_judge(verdicts())
    assert (result.name, result.pairs, result.answered, result.without_verdict) == ("gpt", 8, 6, 1)
    assert result.reasons == {"refused: no": 1}
    assert result.consistent.value == 3 / 6
    assert result.tied.value == 1 / 6
    # shown first, pair by pair: 1 of 2, 1 of 2, none of none, 2 of 2, 0 of 2, 1 of 1
    assert result.first_shown.value == 5 / 9
    assert (result.tokens_in, result.tokens_out, result.cost) == (180, 18, None)
    assert result.checks == (1, 2)


def test_intervals_are_clustered_by_documents() -> None:
    result = summarize_judge(verdicts())
    firsts, answers = np.array([1.0, 1, 0, 2, 0, 1]), np.array([2.0, 2, 0, 2, 2, 1])
    (expected,) = ratio_intervals([Ratio(firsts, answers, np.maximum(answers, 1))], list("aabbcc"))
    assert result.first_shown.interval == expected
    assert expected.low is not None
    assert expected.high is not None
    assert expected.low < 5 / 9 < expected.high


def test_a_judge_that_always_takes_the_first_is_never_consistent() -> None:
    always = verdicts(straight=np.ones(8), swapped=-np.ones(8))
    result = summarize_judge(always)
    assert (result.first_shown.value, result.consistent.value, result.tied.value) == (1, 0, 0)
    np.testing.assert_equal(always.scores, np.full((8, 2), 0.5))


def test_without_answers_shares_are_undefined() -> None:
    nothing = np.full(8, NAN)
    result = summarize_judge(verdicts(straight=nothing, swapped=nothing, tokens_in=nothing, tokens_out=nothing))
    assert result.answered == 0
    assert result.first_shown.value is result.consistent.value is result.tied.value is None
    assert result.tokens_in is None


# --- among metrics ------------------------------------------------------------------------------------------


@pytest.fixture
def shown() -> Presentation:
    """A judgment of each pair: the first summary wins but in the third, which is a tie, the sixth and the eighth."""
    judged = verdicts()
    preferences = Preferences(
        documents=judged.documents,
        firsts=judged.firsts,
        seconds=judged.seconds,
        inclusion=np.full(8, NAN),
        scores={"rouge1|version:1": np.array([[0.5, 0.25]] * 8), SIGNATURE: judged.scores},
        pair=np.arange(8),
        choices=np.array([1.0, 1, 0, 1, 1, -1, 1, -1]),
        annotators=to_name_column(["Ann"] * 8),
        left=np.full(8, NAN),
        took=np.full(8, 3.0),
    )
    cells = Cells(("a", "a"), ("x", "y"), {}, {"rouge1|version:1": np.array([0.5, 0.25])})
    return Presentation(analyze_judgments(Inputs(preferences, cells), [judged]))


def test_a_judge_stands_among_metrics_by_the_same_people(shown: Presentation) -> None:
    rows = {row["metric"]: row for row in make_table("agreement", shown).rows}
    assert list(rows) == ["rouge1", "judge: gpt", "people"]
    row = rows["judge: gpt"]
    # the first pair agrees, the second does not, the third is people's tie; three orders disagree; two lack a verdict
    assert (row["C"], row["D"], row["T"], row["missing"], row["n"]) == (1, 1, 3, 2, 5)
    assert (row["strict"], row["half"], row["decided"], row["coverage"]) == (1 / 5, 2.5 / 5, 1 / 2, 2 / 5)
    assert isinstance(row["acc_eq"], Undefined)
    assert not isinstance(rows["rouge1"]["acc_eq"], Undefined)
    (compared,) = make_table("comparisons", shown).rows
    assert (compared["first"], compared["second"], compared["n"]) == ("rouge1", "judge: gpt", 5)
    assert {row["metric"] for row in make_table("by_difference", shown).rows} == {"rouge1"}


def test_the_table_of_judges(shown: Presentation) -> None:
    (row,) = make_table("judges", shown).rows
    assert (row["judge"], row["pairs"], row["answered"], row["no verdict"]) == ("gpt", 8, 6, 1)
    assert (row["consistent"], row["first shown"], row["tied"]) == (3 / 6, 5 / 9, 1 / 6)
    assert (row["n"], row["half"], row["strict"], row["decided"]) == (5, 2.5 / 5, 1 / 5, 1 / 2)
    assert isinstance(row["half 95 %"], Range)
    assert (row["checks passed"], row["checks"], row["tokens in"], row["tokens out"]) == (1, 2, 180, 18)
    assert row["cost"] == Undefined("no prices were given")
    assert row["why no verdict"] == "1: refused: no"


def test_correlations_say_that_judges_have_none(shown: Presentation) -> None:
    section = make_table("matrix", shown)
    assert section.notes[-1] == "Left out: judge: gpt, with verdicts on pairs and no scores."
    assert not any("judge" in str(row) for row in section.rows)


def test_without_judges_there_is_no_table_of_them(shown: Presentation) -> None:
    assert "judges" in table_names(shown)
    assert "judges" not in table_names(Presentation(Results(Inputs())))


def test_only_the_systems_that_are_asked_for_count() -> None:
    of_two = verdicts().of_systems(["x", "y"])
    assert len(of_two.documents) == 7
    assert of_two.checks == (1, 2)


def test_judges_are_told_from_metrics_by_their_names() -> None:
    other = SIGNATURE.replace("gpt", "llama")
    assert labels([SIGNATURE, other]) == {SIGNATURE: "judge: gpt", other: "judge: llama"}
    assert is_judge(SIGNATURE)
    assert not is_judge("judgement|version:1")
