"""Very many documents of few summaries: the ways that they are counted come to the figures of the usual ways."""

import numpy as np
import pytest
from scipy import stats

import relevance.analysis.significance
from relevance.analysis.agreement.pairs import group_by_document, list_pairs, pairs_of
from relevance.analysis.significance import sign_flips, signed_rank
from relevance.data.cells import Cells
from relevance.data.names import NameColumn


def test_pairs_of_documents_of_any_size_stand_in_columns() -> None:
    random = np.random.default_rng(0)
    documents = NameColumn(f"d{number}" for number in random.integers(12, size=60))
    among = random.random(60) < 0.8
    pairs = list_pairs(documents, among)
    groups = group_by_document(documents, among)
    expected = [(first, second, place) for place, cells in enumerate(groups) for some in pairs_of(cells)
                for first, second in zip(*(column.tolist() for column in some), strict=True)]  # fmt: skip
    assert list(zip(pairs.first.tolist(), pairs.second.tolist(), pairs.document.tolist(), strict=True)) == expected
    assert pairs.add_up(np.ones(len(expected), dtype=np.int8)).tolist() == [
        len(cells) * (len(cells) - 1) // 2 for cells in groups
    ]


def test_names_are_numbered_as_text_and_stay_a_tuple() -> None:
    column = NameColumn.of_numbers(np.array([2, 0, 2, 1]), ["a", "b10", "b2"])
    assert column == ("b2", "a", "b2", "b10")
    assert NameColumn(column) is column
    anew = NameColumn(["b2", "a", "b2", "b10"])
    assert anew.numbered.numbers.tolist() == column.numbered.numbers.tolist()
    assert anew.numbered.known == column.numbered.known
    assert isinstance(Cells(("x",), ("y",), {}, {}).documents, NameColumn)


@pytest.mark.parametrize("digits", [1, 6])
def test_the_signed_ranks_of_many_are_those_of_scipy(digits: int) -> None:
    random = np.random.default_rng(digits)
    differences = np.round(random.normal(size=20_000) + 0.01, digits)
    result = signed_rank(differences, "document")
    expected = stats.wilcoxon(differences[differences != 0])
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.statistic == expected.statistic


@pytest.mark.parametrize("whole", [True, False])
def test_flips_are_the_same_however_many_documents_are_added_up_at_once(
    whole: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(0)
    sums = random.integers(-6, 7, size=(300, 3)) / 2 + (0 if whole else random.normal(size=(300, 3)))
    at_once = sign_flips(sums, 500, seed=4)
    monkeypatch.setattr(relevance.analysis.significance, "DOCUMENTS_AT_ONCE", 64)
    assert sign_flips(sums, 500, seed=4) == at_once
    words = np.random.default_rng(4).integers(2**64, size=(500, 5), dtype=np.uint64)
    signs = 1 - 2.0 * np.unpackbits(words.view(np.uint8), axis=1, count=300)
    beyond = (np.abs(signs @ sums) >= np.abs(sums.sum(axis=0)) - 1e-9).sum(axis=0)
    assert at_once.p == ((beyond + 1) / 501).tolist()
