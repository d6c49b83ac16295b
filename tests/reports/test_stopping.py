"""What is said of a stopping rule: the sentence, the table, the charts, and the report."""

from datetime import UTC, datetime

import numpy as np
import pytest

from relevance.analysis.agreement.sequential import analyze_sequentially, decide_to_stop
from relevance.analysis.study import Inputs, Results
from relevance.data.stopping_state import CompleteDocuments, StoppingDecision
from relevance.metrics.registry import label_of
from relevance.reports.drawings import draw_svg
from relevance.reports.presentation import Presentation
from relevance.reports.stopping import describe_stopping
from relevance.reports.stopping_charts import difference_chart, wealth_chart
from relevance.reports.tables.registry import finish_table, make_table, table_names
from relevance.reports.tables.stopping import sequential_table
from relevance.reports.tables.table import Range, Table

FIRST, SECOND = "rouge1|refs:max|version:0.2.0", "rouge_k|refs:max|version:0.2.0"


def complete(
    differences: list[int],
    *,
    drawn: int = 40,
    second: str | None = SECOND,
    decision: StoppingDecision | None = None,
    weights: list[float] | None = None,
) -> CompleteDocuments:
    """Documents of one judgment, in which the first metric alone is right (1) or wrong (-1), or both are right (0)."""
    column = np.array(differences, dtype=float)
    return CompleteDocuments(
        first=FIRST,
        second=second,
        alpha=0.05,
        drawn=drawn,
        documents=len(column),
        wanted=1,
        pair=np.arange(len(column)),
        document=np.arange(len(column)),
        choices=np.ones(len(column)),
        first_differences=np.where(column < 0, -1.0, 1.0),
        second_differences=None if second is None else np.where(column > 0, -1.0, 1.0),
        weights=None if weights is None else np.array(weights),
        decision=decision,
        decided_at=None if decision is None else datetime(2026, 5, 4, tzinfo=UTC),
    )


def sentence_of(complete_documents: CompleteDocuments) -> str:
    return describe_stopping(analyze_sequentially(complete_documents), label_of)


def test_before_a_document_is_complete() -> None:
    assert sentence_of(complete([])) == "Go on: no document is complete yet; it takes a wealth of 20 to stop."


def test_go_on_with_the_wealth_and_the_interval() -> None:
    # four right of four: (1.8^4 + 1.4^4 + 1.2^4 + 1.1^4 + .9^4 + .8^4 + .6^4 + .2^4) / 8 = 2.4
    sentence = sentence_of(complete([1, 1, 1, 1]))
    assert sentence.startswith("Go on: after 4 documents of at most 40 the wealth is 2.4 of 20; ")
    assert "the agreement of ROUGE-1 minus that of ROUGE-K lies between -0." in sentence


def test_stop_with_who_agrees_more_often() -> None:
    more = sentence_of(complete([1] * 12))
    assert more.startswith("Stop: after 9 documents the wealth is 28.4, and 20 is enough: ")
    assert "ROUGE-1 agrees with annotators more often than ROUGE-K; " in more
    assert "ROUGE-1 agrees with annotators less often than ROUGE-K; " in sentence_of(complete([-1] * 12))


def test_stop_where_there_are_no_more_documents() -> None:
    sentence = sentence_of(complete([1, -1, 1], drawn=3))
    assert sentence.startswith("Stop: there are no more than 3 documents, and the wealth is ")
    assert "ROUGE-1 does not differ significantly from ROUGE-K" in sentence


def test_against_one_half_differences_are_those_of_agreement() -> None:
    result = analyze_sequentially(complete([1] * 12, second=None))
    sentence = describe_stopping(result, label_of)
    assert "ROUGE-1 agrees with annotators more often than chance; the agreement of ROUGE-1 minus 0.500" in sentence
    (row,) = sequential_table(result, label_of).rows
    assert (row["second"], row["difference"]) == ("0.5", 0.5)
    interval = row["95% at all times"]
    assert isinstance(interval, Range)
    assert 0 < interval.low < interval.high <= 0.5


def test_a_decision_is_shown_beside_what_the_judgments_say_by_now() -> None:
    taken = decide_to_stop(complete([1] * 12))
    assert taken is not None
    same = complete([1] * 12, decision=taken)
    assert sentence_of(same).endswith(" That was decided on 2026-05-04.")
    changed = complete([1, 1, -1, -1, 1, 1, 1, 1, 1, 1], decision=taken)
    sentence = sentence_of(changed)
    assert sentence.startswith("Stop: after 9 documents the wealth is 28.4")
    assert "Judgments were changed or left out since: as they stand, the wealth after 9 documents is 1." in sentence
    now, decided = sequential_table(analyze_sequentially(changed), label_of).rows
    assert (now["as of"], now["documents"], now["decision"]) == ("now", 10, "go on")
    assert (decided["as of"], decided["documents"]) == ("at the decision, 2026-05-04 00:00", 9)
    assert (decided["wealth"], decided["decision"]) == (taken.wealth, "stop: they differ")


def test_fewer_documents_are_complete_than_when_it_was_decided() -> None:
    taken = decide_to_stop(complete([1] * 12))
    assert "as they stand, the wealth after 3 documents is" in sentence_of(complete([1, 1, 1], decision=taken))


def present(documents: CompleteDocuments) -> Presentation:
    return Presentation(Results(Inputs(complete=documents)))


def test_a_study_that_stopped_early_says_that_its_figures_lean() -> None:
    stopped, going = (present(complete([1] * number)) for number in (12, 2))
    assert "and 1.000. The mean so far, 1.000, is likely too far from 0, as a study stops" in sentence_of(
        complete([1] * 12)
    )
    assert "too far from 0" not in sentence_of(complete([1] * 2))
    for name in ("agreement", "ranking", "sequential"):
        early, not_yet = (finish_table(Table(name, "", []), of.about).notes for of in (stopped, going))
        assert (len(early), len(not_yet)) == (name != "sequential", 0)
    assert "further from 0" in " ".join(make_table("sequential", stopped).notes)
    assert "further from 0" not in " ".join(make_table("sequential", going).notes)


def test_pairs_that_were_drawn_with_other_probabilities_are_weighed() -> None:
    result = analyze_sequentially(complete([1, -1, 0], weights=[6.0, 1.0, 3.0]))
    assert result.weighed
    table = sequential_table(result, label_of)
    assert table.rows[0]["difference"] == pytest.approx(0.5)
    assert "one over the probability with which its pair was drawn" in " ".join(table.notes)
    assert "documents count the same" in " ".join(sequential_table(analyze_sequentially(complete([1])), label_of).notes)
    taken = StoppingDecision(3, 3, 25.0, 0.5, 0.1, 0.9, rejected=True)
    sentence = sentence_of(complete([1, -1, 0], weights=[6.0, 1.0, 3.0], decision=taken))
    assert "changed or left out since (or the version that decided did not weigh pairs): as they stand" in sentence


def test_only_a_study_with_a_stopping_rule_has_its_table() -> None:
    assert "sequential" not in table_names(Presentation(Results(Inputs())))
    shown = present(complete([1, 1]))
    assert table_names(shown)[0] == "sequential"
    (row,) = make_table("sequential", shown).rows
    assert (row["first"], row["second"], row["1/alpha"]) == ("rouge1", "rouge_k", 20)


@pytest.mark.parametrize("differences", [[1], [1] * 12])
def test_charts_are_drawn(differences: list[int]) -> None:
    result = complete(differences)
    shown = analyze_sequentially(result)._replace(decision=decide_to_stop(result))
    assert "enough: 20" in draw_svg(wealth_chart(shown))
    assert "the agreement of ROUGE-1 minus that of ROUGE-K" in draw_svg(difference_chart(shown, label_of))
