import pytest

from relevance.data.records import Document
from relevance.summarizers.training.measuring import NothingMeasured, measure

ONE = Document("a", "s", ("the red bridge", "a blue car"))
TITLED = Document("b", "s", ("old roads",), title="The roads of old towns")
BARE = Document("c", "s", ("old roads",))


def test_rouge1_is_that_of_the_best_reference() -> None:
    # "a blue truck" has 2 of 3 words of the second reference: precision and recall 2/3; "old roads" is the reference
    assert measure([ONE, BARE], ["a blue truck", "old roads"], "rouge1") == pytest.approx((2 / 3 + 1) / 2)


def test_who_writes_nothing_has_reached_nothing() -> None:
    assert measure([ONE, BARE], ["", "old roads"], "rouge1") == pytest.approx(0.5)


def test_documents_without_keywords_have_no_say() -> None:
    # the keywords of the second are old and roads; the others have none, whatever is written of them
    assert measure([BARE, TITLED], ["", "roads"], "rouge_k") == pytest.approx(0.5)
    assert measure([BARE, TITLED], ["old roads", ""], "rouge_k") == 0
    with pytest.raises(NothingMeasured, match="ROUGE-K needs two of references and title"):
        measure([BARE], ["old roads"], "rouge_k")
