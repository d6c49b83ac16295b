"""Tables of ranks, and of the best and the worst: which pairs they say, and what is refused."""

import csv
import json
import random
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relevance.data.importers import guess_format, read_documents, read_judgments
from relevance.data.importers.mapping import BadColumns, Columns, parse_columns, read_columns, write_columns
from relevance.data.importers.pairwise import JudgedPairs
from relevance.data.importers.table import OTHER_TEXT
from relevance.data.records import BadRecord

LONG = ("doc_id", "reference", "model", "summary", "rank", "worker")
ROWS = (
    ("d1", "R", "a", "A.", 1, "w1"),
    ("d1", "R", "b", "B.", "2nd", "w1"),
    ("d1", "R", "c", "C.", 2, "w1"),
    ("d1", "R", "a", "A.", 3, "w2"),
    ("d1", "R", "b", "B.", None, "w2"),
    ("d1", "R", "c", "C.", 1.5, "w2"),
)
WIDE = ("doc_id", "reference", "summary_a", "summary_b", "summary_c", "best", "worst", "worker", "comment")
TEXTS = ("d1", "R", "A.", "B.", "C.")

Said = set[tuple[str, str, str, str]]


def written(path: Path, rows: Sequence[Sequence[Any]], names: Sequence[str]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows))
        return path
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def judge(path: Path, columns: Columns | None = None) -> tuple[JudgedPairs, list[str]]:
    notes: list[str] = []
    return read_judgments(path, guess_format(path, columns), columns, notes.append), notes


def pairs(judged: JudgedPairs, question: str = "") -> Said:
    """Document, annotator, and the two systems, the better one first; of a tie sorted, with a sign between them."""
    result = set()
    for judgment in judged.judgments:
        if judgment.question.name == question:
            better, other = (
                (judgment.left, judgment.right) if judgment.choice != "right" else (judgment.right, judgment.left)
            )
            if judgment.choice == "tie":
                better, other = f"= {min(better, other)}", max(better, other)
            result.add((judgment.document_id, judgment.annotator, better, other))
    return result


def refusal(path: Path, columns: Columns | None = None) -> str:
    with pytest.raises((BadRecord, BadColumns)) as refused:
        judge(path, columns)
    return str(refused.value)


# --- a row for each summary -------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_ranks_are_choices_of_all_pairs(tmp_path: Path, ending: str) -> None:
    path = written(tmp_path / f"a.{ending}", ROWS, LONG)
    assert guess_format(path) == "ranks"
    judged, notes = judge(path)
    assert pairs(judged) == {
        ("d1", "annotator 1", "a", "b"),
        ("d1", "annotator 1", "a", "c"),
        ("d1", "annotator 1", "= b", "c"),
        ("d1", "annotator 2", "c", "a"),
    }
    assert notes[0].endswith('annotator is "worker", rank is "rank" (guessed)')
    assert "1 rank missing (blank, null, NaN or N/A): these summaries are in no pair there" in notes
    assert [[summary.system for summary in written] for _, written in judged.records] == [["a", "b", "c"]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.tuples(st.sampled_from("de"), st.sampled_from("abcd"), st.sampled_from(["Ann", "Ben"])),
        st.sampled_from([1, 2, 3, 4]),
        min_size=1,
    ),
    st.randoms(use_true_random=False),
)
def test_ranks_say_the_same_in_any_order_and_shape(
    tmp_path: Path, ranks: dict[tuple[str, str, str], int], draw: random.Random
) -> None:
    expected = set()
    for document, who in {(document, who) for document, _, who in ranks}:
        own = [(system, rank) for (of, system, by), rank in ranks.items() if (of, by) == (document, who)]
        for (item, first), (other, second) in combinations(own, 2):
            better, worse = (item, other) if first < second else (other, item)
            tied = (f"= {min(item, other)}", max(item, other))
            expected.add((document, who, *((better, worse) if first != second else tied)))
    if not expected:
        return
    rows = [(of, f"R {of}", system, f"Text {system}.", rank, who) for (of, system, who), rank in ranks.items()]
    long = judge(written(tmp_path / "long.csv", draw.sample(rows, len(rows)), LONG))[0]
    systems = draw.sample("abcd", 4)
    of_systems = [pattern.format(system) for pattern in ("summary_{}", "{} rank") for system in systems]
    wide_rows = [
        (
            *(document, f"R {document}", *(f"Text {system}." for system in systems)),
            *(*(ranks.get((document, system, who), "") for system in systems), who),
        )
        for document, who in dict.fromkeys((document, who) for document, _, who in ranks)
    ]
    names = ("doc_id", "reference", *of_systems, "worker")
    wide = judge(written(tmp_path / "wide.csv", wide_rows, names))[0]
    for judged in (long, wide):
        counted = pairs(judged)
        people = {who for _, who, _, _ in counted}
        assert len(people) == len({who for _, who, _, _ in expected})
        assert {(of, better, worse) for of, _, better, worse in counted} == {(d, b, w) for d, _, b, w in expected}
        assert len(counted) == len(expected)


def test_ranks_stand_beside_ratings_and_several_are_several_questions(tmp_path: Path) -> None:
    names = (*LONG[:4], "overall-rating", "overall-rank", "style_ranking", "worker")
    rows = [("d1", ["R", "R2"], "a", "A.", 90, 1, 2, "w1"), ("d1", ["R", "R2"], "b", "B.", 40, 2, 1, "w1")]
    path = written(tmp_path / "a.jsonl", rows, names)
    judged, _ = judge(path)
    assert pairs(judged, "overall") == {("d1", "annotator 1", "a", "b")}
    assert pairs(judged, "style") == {("d1", "annotator 1", "b", "a")}
    ((document, (first, _)),) = judged.records
    assert (document.references, first.human) == (("R", "R2"), {"overall": 90})
    assert first.annotators == {"annotator 1": {"overall": 90}}
    assert list(read_documents(path)) == judged.records


def test_references_in_rows_of_their_own(tmp_path: Path) -> None:
    rows = [*ROWS, *(("d1", "Second", *row[2:]) for row in ROWS), ("d1", "Third", "", "", "", "")]
    judged, _ = judge(written(tmp_path / "a.csv", rows, LONG))
    assert judged.judgments == judge(written(tmp_path / "b.csv", ROWS, LONG))[0].judgments
    assert judged.records[0][0].references == ("R", "Second", "Third")
    other = [*rows, ("d1", "Second", *ROWS[0][2:])]
    assert "stands twice" in refusal(written(tmp_path / "c.csv", other, LONG))


def test_annotators_of_ranks_and_of_ratings_have_the_same_numbers(tmp_path: Path) -> None:
    names = (*LONG[:4], "quality", "rank", "worker")
    rows = [
        ("d1", "R", "a", "A.", 5, "", "zoe"),
        ("d1", "R", "a", "A.", "", 1, "max"),
        ("d1", "R", "b", "B.", 3, 2, "max"),
        ("d1", "R", "b", "B.", 2, 1, "zoe"),
    ]
    judged, _ = judge(written(tmp_path / "a.csv", rows, names))
    assert pairs(judged) == {("d1", "annotator 2", "a", "b")}
    ((_, (first, second)),) = judged.records
    assert first.annotators == {"annotator 1": {"quality": 5}}
    assert second.annotators == {"annotator 2": {"quality": 3}, "annotator 1": {"quality": 2}}


def test_ranks_without_texts_or_annotators(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [("d1", "a", 1), ("d1", "b", 2), ("d2", "a", 1)], ("doc", "model", "rank"))
    judged, _ = judge(path)
    assert pairs(judged) == {("d1", "unknown 1", "a", "b")}
    twice = written(tmp_path / "b.csv", [("d1", "a", 1), ("d1", "b", 2), ("d1", "a", 2)], ("doc", "model", "rank"))
    assert refusal(twice) == (
        'b.csv:4: the system "a" is ranked twice for "d1", in line 2, too; if several people ranked it, say who by '
        "--columns annotator=COLUMN"
    )


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (ROWS[0], 'a.csv:8: the system "a" stands twice for "d1", in line 2, too, both rated by "w1"'),
        ((*ROWS[0][:4], 2, "w1"), 'a.csv:8: the system "a" is ranked twice for "d1" by "w1", in line 2, too'),
        (
            (*ROWS[0][:3], "Other.", 1, "w3"),
            f'a.csv:8: the system "a" stands twice for "d1", in line 2, too{OTHER_TEXT}',
        ),
        (
            (*ROWS[0][:4], "good", "w3"),
            'a.csv:8: rank must be a rank such as 1 or 2nd, not "good"; correct it, or leave it blank',
        ),
        (
            (*ROWS[0][:4], -1, "w3"),
            'a.csv:8: rank must be a rank such as 1 or 2nd, not "-1"; correct it, or leave it blank',
        ),
    ],
)
def test_bad_ranks(tmp_path: Path, row: tuple[Any, ...], message: str) -> None:
    assert refusal(written(tmp_path / "a.csv", [*ROWS, row], LONG), parse_columns("rank=rank")) == message


# --- summaries side by side ---------------------------------------------------------------------------------------


def test_ranks_side_by_side_without_texts(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [("d1", 1, 2, 2, "w")], ("doc_id", "BART rank", "t5 rank", "rank_lead", "rater"))
    judged, _ = judge(path)
    result = {("BART", "t5"), ("BART", "lead"), ("= lead", "t5")}
    assert pairs(judged) == {("d1", "annotator 1", *pair) for pair in result}


def test_the_best_and_the_worst_of_three_say_all_pairs(tmp_path: Path) -> None:
    rows = [
        (*TEXTS, "A", "Summary C", "w1", "hm"),
        (*TEXTS, "summary_b", "", "w2", ""),
        (*TEXTS, "", "A.", "w3", ""),
        (*TEXTS, "a, b", "c", "w4", ""),
        (*TEXTS, "", "", "w5", ""),
    ]
    judged, notes = judge(written(tmp_path / "a.csv", rows, WIDE))
    assert pairs(judged) == {
        *(("d1", "annotator 1", *pair) for pair in (("a", "b"), ("a", "c"), ("b", "c"))),
        *(("d1", "annotator 2", *pair) for pair in (("b", "a"), ("b", "c"))),
        *(("d1", "annotator 3", *pair) for pair in (("b", "a"), ("c", "a"))),
        *(("d1", "annotator 4", *pair) for pair in (("= a", "b"), ("a", "c"), ("b", "c"))),
    }
    assert "2 pairs of two that are neither best nor worst: nothing is said of them" in notes
    assert "1 row without the best and the worst: left out" in notes
    assert 'summaries in "best": "A" is "a" (1); "summary_b" is "b" (1); "a" is "a" (1); "b" is "b" (1)' in notes
    assert judged.judgments[0].comment == "hm"


def test_of_four_two_are_said_nothing_of(tmp_path: Path) -> None:
    names = ("article", "A", "B", "C", "D", "best", "worst", "rater")
    judged, notes = judge(written(tmp_path / "a.csv", [("Text", "A.", "B.", "C.", "D.", 2, 4, "w1")], names))
    assert pairs(judged) == {("1", "annotator 1", *pair) for pair in ("BA", "BC", "BD", "AD", "CD")}
    assert "1 pair of two that are neither best nor worst: nothing is said of it" in notes


def test_systems_in_any_order(tmp_path: Path) -> None:
    names = (
        *("article", "text_1", "text_2", "text_3", "model_1", "model_2", "model_3"),
        *("rank_1", "rank_2", "rank_3", "rater"),
    )
    rows = [
        ("Text", "A.", "B.", "C.", "bart", "t5", "lead", 1, 2, 3, "w1"),
        ("Text", "C.", "A.", "B.", "lead", "bart", "t5", 3, 1, 2, "w2"),
    ]
    judged, _ = judge(written(tmp_path / "a.csv", rows, names))
    order = (("bart", "t5"), ("bart", "lead"), ("t5", "lead"))
    assert pairs(judged) == {("1", f"annotator {who}", *pair) for who in (1, 2) for pair in order}
    capitals = ("article", *(f"Text {item}" for item in "ABC"), *(f"model_{item}" for item in "abc"), *names[7:])
    lettered = [name.replace("_1", "_a").replace("_2", "_B").replace("_3", "_c") for name in capitals]
    assert judge(written(tmp_path / "c.csv", rows, lettered))[0].judgments == judged.judgments
    best = (*names[:7], "best", "worst", "rater")
    rows = [("Text", "C.", "A.", "B.", "lead", "bart", "t5", "2", "lead", "w2")]
    assert pairs(judge(written(tmp_path / "b.csv", rows, best))[0]) == {("1", "annotator 1", *pair) for pair in order}


def test_lists_of_the_best(tmp_path: Path) -> None:
    names = ("article", "t0.text", "gpt3.text", "brio.text", "best", "worst")
    path = written(tmp_path / "a.jsonl", [("Text", "A.", "B.", "C.", ["gpt3", "t0"], ["brio"])], names)
    columns = parse_columns("summary.t0=t0.text,summary.gpt3=gpt3.text,summary.brio=brio.text")
    expected = {("1", "unknown 1", "= gpt3", "t0"), *(("1", "unknown 1", name, "brio") for name in ("gpt3", "t0"))}
    assert pairs(judge(path, columns._replace(roles={**columns.roles, "best": "best"}))[0]) == expected


def test_several_questions_and_a_saved_mapping(tmp_path: Path) -> None:
    names = ("doc_id", "reference", "x", "y", "nice", "ugly", "long")
    path = written(tmp_path / "a.csv", [("d1", "R", "X.", "Y.", "x", "y", "y")], names)
    told = parse_columns("summary.x=x,summary.y=y,best.style=nice,worst.style=ugly,best.length=long")
    kept: list[Columns] = []
    judged = read_judgments(path, "ranks", told, lambda _: None, kept.append)
    assert pairs(judged, "style") == {("d1", "unknown 1", "x", "y")}
    assert pairs(judged, "length") == {("d1", "unknown 1", "y", "x")}
    saved = tmp_path / "saved.toml"
    saved.write_text(write_columns(kept[0]))
    again = read_columns(saved)
    assert guess_format(path, again) == "ranks"
    assert judge(path, again)[0] == judged


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            (*TEXTS, "A", "X", "w1", ""),
            'a.csv:2: it is not known which summaries these values of "worst" name: "X" (1); there are "a", "b", '
            '"c"; call the summaries so by --columns summary.NAME=COLUMN,..., or correct the values',
        ),
        (
            ("d1", "R", "A.", " ", "C.", "B", "A", "w1", ""),
            'a.csv:2: it is not known which summaries these values of "b',
        ),
    ],
)
def test_bad_rows_of_the_best(tmp_path: Path, row: tuple[Any, ...], message: str) -> None:
    assert refusal(written(tmp_path / "a.csv", [row], WIDE)).startswith(message)


def test_rows_that_name_a_summary_best_and_worst_are_left_out_and_said(tmp_path: Path) -> None:
    rows = [(*TEXTS, "A", "C", "w1", ""), (*TEXTS, "A", "a", "w2", ""), (*TEXTS, "B, C", "A and B", "w3", "")]
    judged, notes = judge(written(tmp_path / "a.csv", rows, WIDE))
    assert {judgment.annotator for judgment in judged.judgments} == {"annotator 1"}
    assert "2 rows with the same summary best and worst (first: a.csv:3): left out" in notes
    assert "is among the best and the worst" not in notes


def test_names_that_may_mean_two(tmp_path: Path) -> None:
    names = ("article", "text_a", "text_b", "text_c", "model_a", "model_b", "model_c", "best")
    path = written(tmp_path / "a.csv", [("Text", "A.", "B.", "C.", "c", "d", "e", "c")], names)
    assert refusal(path) == 'a.csv:2: "c" may mean the summary called so, or that of the system called so'
    same = written(tmp_path / "b.csv", [("Text", "A.", "B.", "C.", "t5", "t5", "e", "a")], names)
    assert refusal(same) == 'b.csv:2: two of the summaries are by the system "t5": correct one name'


def test_what_a_table_lacks(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", [("R", "A.", "B.", "x")], ("reference", "x", "y", "pick"))
    assert refusal(path, parse_columns("best=pick,summary.x=x")) == (
        'a.csv:1: it is not known which column is summary.SYSTEM; there are "reference", "x", "y", "pick"; say it by '
        "--columns summary.SYSTEM=COLUMN,..."
    )
    both = written(tmp_path / "b.csv", ROWS, LONG)
    assert "goes with a row for each judgment" in refusal(both, parse_columns("best=rank"))
    with pytest.raises(BadRecord, match=r"c\.csv:1: no column has ranks"):
        read_judgments(written(tmp_path / "c.csv", [ROWS[0][:4]], LONG[:4]), "ranks", None, lambda _: None)


def test_two_texts_and_the_better_one_are_a_choice(tmp_path: Path) -> None:
    names = ("reference", "summary_a", "summary_b", "best")
    assert guess_format(written(tmp_path / "a.csv", [("R", "A.", "B.", "A")], names)) == "choices"
