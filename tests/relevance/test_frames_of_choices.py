"""Frames of people's choices give the figures of the study that is imported from the same file."""

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import relevance
from relevance.data.importers.mapping import BadColumns
from relevance.data.records import BadRecord
from tests.commands import run

SYSTEMS = ("bart", "t5", "pegasus")
WORDS = "the ferry to island stops in winter and a bus takes new bridge from monday tickets cost four euros".split()  # noqa: SIM905


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sqlite_url: str) -> Path:
    """Made-up choices of seven people, of 40 documents, some pairs by several."""
    monkeypatch.chdir(tmp_path)
    draw = random.Random(5)
    rows = []
    for number in range(120):
        document = number % 40
        seeded = random.Random(document)
        texts = {system: " ".join(seeded.choices(WORDS, k=8)) for system in SYSTEMS}
        left, right = draw.sample(SYSTEMS, 2)
        rows.append(
            {
                "doc_id": f"d{document}",
                "reference": " ".join(seeded.choices(WORDS, k=12)),
                **{"system_a": left, "summary_a": texts[left], "system_b": right, "summary_b": texts[right]},
                "winner": draw.choice(["A", "B", "tie", left, right]),
                "worker": f"w{draw.randrange(7)}",
            }
        )
    path = tmp_path / "judged.csv"
    pd.DataFrame(rows).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("rule", ["half", "strict", "decided"])
def test_agreement_is_that_of_the_imported_study(table: Path, rule: Any) -> None:
    run("import", table, "--name", "mine")
    run("score", "mine", "--metrics", "rouge1,rouge2,length")
    printed = run("analyze", "--study", "mine", "--tables", "agreement", "--format", "json").stdout
    rows = {row["metric"]: row for row in json.loads(printed)["tables"]["agreement"]["rows"]}
    scored = relevance.score(relevance.load(table), ["rouge1", "rouge2", "length"])
    agreement = relevance.agreement(scored, choices=relevance.load_choices(table), rule=rule)
    assert set(agreement["metric"]) == {"rouge1", "rouge2", "length"}
    for row in agreement.to_dict("records"):
        text = rows[row["metric"]]
        assert [row["pairs"], row["missing"]] == [text["n"], text["missing"]]
        assert row["agreement"] == pytest.approx(np.nan if text[rule] is None else text[rule], nan_ok=True)
        interval = text[f"{rule} 95 %"] or [np.nan, np.nan]
        assert [row["low"], row["high"]] == pytest.approx(interval, nan_ok=True)


def frame() -> pd.DataFrame:
    texts = {("d1", "a"): 0.5, ("d1", "b"): 0.4, ("d2", "a"): 0.1, ("d2", "b"): 0.4}
    rows = [{"document": document, "system": system, "mine": value} for (document, system), value in texts.items()]
    return pd.DataFrame(rows)


def choose(*choices: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(choices), columns=["document", "left", "right", "choice", "annotator"][: len(choices[0])])


def test_sides_words_and_names_of_systems_are_choices() -> None:
    same = [
        choose(("d1", "a", "b", "left"), ("d2", "a", "b", "tie")),
        choose(("d1", "b", "a", "Right"), ("d2", "b", "a", "Neither is better")),
        choose(("d1", "b", "a", "a", "zoe"), ("d2", "a", "b", "tie", None), ("d2", "a", "b", None, "zoe")),
    ]
    agreements = [relevance.agreement(frame(), None, ["mine"], choices=item) for item in same]
    assert [(row["agreement"][0], row["pairs"][0], row["human ties"][0]) for row in agreements] == [(1.0, 1, 1)] * 3


@pytest.mark.filterwarnings("ignore")
def test_a_narrower_level_is_a_narrower_interval(table: Path) -> None:
    scored = relevance.score(relevance.load(table, "choices"), ["rouge1"])
    choices = relevance.load_choices(table)
    wide, narrow = (relevance.agreement(scored, choices=choices, level=level) for level in (0.95, 0.5))
    assert wide["low"][0] < narrow["low"][0] < narrow["high"][0] < wide["high"][0]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (choose(("d9", "a", "b", "left")), "row 0 of choices: the frame has no summary of document 'd9' by 'a'"),
        (choose(("d1", "a", "c", "left")), "row 0 of choices: the frame has no summary of document 'd1' by 'c'"),
        (choose(("d1", "a", "b", "maybe")), "row 0 of choices: the choice 'maybe' is none; say left, right, tie"),
        (choose(("d1", "a", "a", "left")), "row 0 of choices: the system 'a' is compared with itself"),
        (choose(("d1", None, "b", "left")), "row 0 of choices: left is empty"),
        (choose(("d1", "a", "b", None)), "the frame of choices has no choices"),
        (choose(("d1", "a", "b")), "the frame has no column choice"),
        (None, "name the column of ratings in `human`, or give a frame of `choices`, and only one of them"),
    ],
)
def test_choices_that_are_refused(choices: pd.DataFrame | None, message: str) -> None:
    with pytest.raises(relevance.BadFrame) as refused:
        relevance.agreement(frame(), None, ["mine"], choices=choices)
    assert str(refused.value).startswith(message)


@pytest.mark.filterwarnings("ignore")
def test_files_of_choices_are_loaded_with_what_is_said_of_them(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("article,x,y,pick\nText.,One.,Two.,yes\nOther.,One.,Two.,no\n")
    columns, values = {"left": "x", "right": "y", "choice": "pick"}, {"yes": "left", "no": "right"}
    with pytest.warns(UserWarning, match="no columns name the systems"):
        choices = relevance.load_choices(path, columns=columns, values=values)
    assert choices[["document", "left", "right", "choice"]].to_numpy().tolist() == [
        ["1", "x", "y", "left"],
        ["2", "x", "y", "right"],
    ]
    with pytest.raises(BadRecord, match=r"f\.csv:2: it is not known what these values"):
        relevance.load_choices(path, columns=columns)
    with pytest.raises(BadColumns, match='there is no column "z"'):
        relevance.load_choices(path, columns={**columns, "left": "z"})
    path.write_text("document_id,reference,system,summary\nd,R.,a,S.\n")
    with pytest.raises(relevance.BadFrame, match=r"f\.csv: a file of csv has no choices between two summaries"):
        relevance.load_choices(path)
