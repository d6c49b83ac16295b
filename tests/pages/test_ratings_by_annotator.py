"""What pages say of ratings whose annotators are known: the means, and each annotator's own."""

import csv
import random
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from relevance.analysis.study import Settings, analyze_ratings
from relevance.data.database import connect
from relevance.data.importing import import_file
from relevance.data.store import DataStore
from relevance.metrics.registry import label_of, make_metrics
from relevance.metrics.scoring import score_dataset
from tests.pages.opening import PAGES, open_page, page_text, sound

pytestmark = pytest.mark.page

SYSTEMS = ("bart", "t5", "<b>lead</b>")
HEADER = ("document_id", "reference", "system", "summary", "relevance", "worker")


@pytest.fixture
def rated(sqlite_url: str, tmp_path: Path) -> DataStore:
    """Ratings of 12 documents by three people, with scores."""
    draw = random.Random(4)
    words = "the ferry to island stops in winter and a bus takes new bridge".split()  # noqa: SIM905
    path = tmp_path / "rated.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(HEADER)
        for number in range(12):
            for system in SYSTEMS:
                row = f"d{number}", " ".join(words), system, " ".join(draw.choices(words, k=6))
                out.writerows((*row, draw.randint(1, 5), who) for who in ("zoe@lab.org", "max", "<i>kim</i>"))
    store = DataStore(connect(sqlite_url))
    import_file(store, path, name="rated")
    score_dataset(store, "rated", make_metrics(["rouge1", "length"]))
    return store


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(rated: DataStore, page: str) -> None:
    app = open_page(page, dataset="rated", aspect="relevance", source="annotator")
    assert "zoe" not in page_text(app)


def agreement_of(app: AppTest) -> pd.DataFrame:
    """The table of all figures of agreement."""
    return next(element.value for element in app.dataframe if "acc_eq" in element.value.columns).set_index("metric")


def test_agreement_by_annotator_is_a_choice_of_its_own(rated: DataStore) -> None:
    app = open_page("agreement.py", dataset="rated")
    assert app.selectbox(key="source").options == ["Ratings of relevance", "Ratings of relevance, by annotator"]
    assert "36 pairs of summaries of 12 documents" in page_text(app)
    single = open_page("agreement.py", dataset="rated", aspect="relevance", source="annotator")
    assert "Ratings of relevance by 3 annotators" in page_text(single)
    assert "Everyone counts who rated both summaries of a pair: 108 preferences" in page_text(single)
    results = analyze_ratings(rated.cells("rated"), Settings(human="relevance", by_annotator=True))
    shown = agreement_of(single)
    for row in results.agreement.rows:
        result, counts = shown.loc[label_of(row.metric)], row.evaluation.agreement
        assert (result["n"], result["C"], result["D"]) == (counts.pairs, counts.concordant, counts.discordant)
        assert result["half"] == pytest.approx(counts.half)
    assert results.ceiling is not None
    assert shown.loc["people", "half"] == pytest.approx(results.ceiling.agreement.half)
    voted = agreement_of(sound(single.button_group(key="unit").set_value("by majority").run()))
    for row in results.majority.rows:
        assert voted.loc[label_of(row.metric), "n"] == row.evaluation.agreement.pairs


def test_systems_are_ranked_by_annotators_ratings(rated: DataStore) -> None:
    tabs = [
        element.label
        for element in open_page("systems.py", dataset="rated", aspect="relevance", source="annotator").tabs
    ]
    assert "Ranked by annotators" in tabs
    assert "Ranked by annotators" not in [element.label for element in open_page("systems.py", dataset="rated").tabs]


def test_a_tab_says_how_far_annotators_agree(rated: DataStore) -> None:
    for source, more in (({}, 1), ({"source": "annotator"}, 3)):
        app = open_page("agreement.py", dataset="rated", aspect="relevance", **source)
        tab = next(element for element in app.tabs if element.label == "Annotators")
        tables = [element.value for element in tab.dataframe]
        assert tables[0]["coefficient"].tolist() == [
            "Krippendorff's alpha (ordinal)",
            "Krippendorff's alpha (interval)",
        ]
        assert tables[1]["annotator"].tolist() == [f"annotator {number}" for number in (1, 2, 3)]
        assert tables[1]["ratings"].tolist() == [36, 36, 36]
        assert len(tables) == 1 + more
        results = analyze_ratings(rated.cells("rated"), Settings(human="relevance"))
        assert results.ratings is not None
        assert tables[0]["value"].tolist() == pytest.approx([alpha.value for alpha in results.ratings.alphas.values()])
