"""Results under names for files and for readers: the same figures, computed once."""

from dataclasses import replace

import numpy as np
import pytest

from relevance.analysis.study import WON, Inputs, Results, Settings, analyze_ratings
from relevance.annotation.demo import MADE_UP
from relevance.data.cells import Cells
from relevance.data.demo import AUTHOR
from relevance.metrics.registry import metric
from relevance.reports.presentation import FILE_NAMES, READER_NAMES, Presentation, name_people
from relevance.reports.tables.registry import make_table, table_names
from relevance.reports.tables.table import Table

ROUGE1, BY_MEAN = (metric("rouge1", references=rule).signature for rule in ("max", "mean"))
OTHER = metric("rouge1", stemmer="none").signature
ROUGE_K = metric("rouge_k").signature


@pytest.fixture(scope="module")
def shown() -> Presentation:
    """Metrics of which two differ in a setting, and one is there by the mean over references, too."""
    draw = np.random.default_rng(0)
    ratings = draw.integers(1, 6, 80).astype(float)
    scores = {item: ratings + draw.normal(0, 1, 80) for item in (ROUGE1, BY_MEAN, OTHER, ROUGE_K)}
    cells = Cells(
        tuple(f"d{n}" for n in range(20) for _ in range(4)), tuple("abcd") * 20, {"relevance": ratings}, scores
    )
    return Presentation(analyze_ratings(cells, Settings(human="relevance")))


def renamed(table: Table) -> list[list[object]]:
    """The cells of a table without its names."""
    return [[cell for cell in row.values() if not isinstance(cell, str)] for row in table.rows]


def test_other_names_change_names_alone(shown: Presentation) -> None:
    readers = replace(shown, names=READER_NAMES)
    assert readers.results is shown.results
    for name in table_names(shown):
        plain, labelled = make_table(name, shown), make_table(name, readers)
        assert renamed(plain) == renamed(labelled), name
    rows = zip(shown.agreement.rows, readers.agreement.rows, strict=True)
    assert {plain.metric: labelled.metric for plain, labelled in rows} == {
        "rouge1 (stem:porter)": "ROUGE-1 (stem:porter)",
        "rouge1 (stem:none)": "ROUGE-1 (stem:none)",
        "rouge_k": "ROUGE-K",
    }


def test_a_metric_by_the_mean_has_its_own_name_in_the_table_of_rouge_k(shown: Presentation) -> None:
    readers = replace(shown, names=READER_NAMES)
    for presented, rouge_k in ((shown, "rouge_k"), (readers, "ROUGE-K")):
        firsts = [row.first for row in presented.correlations["rouge_k"] if row.method == "pearson"]
        assert len(set(firsts)) == 3
        assert {row.second for row in presented.correlations["rouge_k"]} == {rouge_k}
        assert any("mean" in first for first in firsts)


def test_ratings_are_named_wherever_they_stand(shown: Presentation) -> None:
    for names, people in ((FILE_NAMES, "human: relevance"), (READER_NAMES, "ratings of relevance")):
        presented = replace(shown, names=names)
        assert {row.first for row in presented.correlations["human"]} == {people}
        assert presented.systems[-1].name == presented.about.people == people
        assert presented.layout.human[0][0] == people
        assert people in presented.layout.columns


def test_judgments_won_have_a_name_where_nothing_is_rated() -> None:
    about = Presentation(Results(Inputs()), READER_NAMES).about
    assert (about.human, about.people) == (None, WON)


def test_people_are_named_for_what_they_did() -> None:
    assert name_people(MADE_UP, None) == "the made-up judgments"
    assert name_people("Study", None) == "annotators"
    assert name_people("Study", None, adjudicated=True) == "adjudicators"
    assert name_people(None, AUTHOR) == "the author's labels"
    assert name_people(None, "relevance") == "ratings of relevance"
