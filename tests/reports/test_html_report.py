"""A study's report: one HTML file that needs nothing else, the files behind it, and names that are only text."""

import csv
import hashlib
import html
import json
import re
import xml.etree.ElementTree as ET
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest

from relevance.analysis.study import Settings
from relevance.annotation.people import PeopleStore
from relevance.annotation.records import StudySpec, UnknownStudy
from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect, now
from relevance.data.one_line import in_one_line
from relevance.data.records import Document, Summary
from relevance.data.store import DataStore, StoredScore
from relevance.reports.drawings import drawable
from relevance.reports.formats.cells import UNDEFINED
from relevance.reports.html_report import write_report

SYSTEM = '<script>alert("1")</script>&\'\n</svg><img src=http://x.y onerror=alert(1)>\u202e\x07{{7*7}}'
SYSTEMS = [SYSTEM, "[b] \\input{x} 100%", "=c"]
NAMES = ["Ann <script>alert(2)</script>", "=Bob & \"Co\" onload='x'", "Cem"]
STUDY = "S </title><script>alert(3)</script>"
QUESTION = "Which <b>one</b>? \u202e http://z.y"

Stores = tuple[DataStore, AnnotationStore]


def stores_with_study(folder: Path) -> Stores:
    """A data set of six documents, three systems and three metrics, and a study of it with hostile names."""
    engine = connect(f"sqlite:///{folder / 'relevance.db'}")
    data, annotation = DataStore(engine), AnnotationStore(engine)
    records = [
        (
            Document(f"d{n}", f"source {n}", ("reference",)),
            [Summary(f"d{n}", system, f"{place} of {n}") for place, system in enumerate(SYSTEMS)],
        )
        for n in range(6)
    ]
    data.add_dataset(name="news <i>", format="interchange", sha256="5" * 64, records=records)
    for signature, step in [("rouge1|<b>", 5), ("rouge_k|test", 3), ("length|test", 2)]:
        unscored = data.unscored(dataset="news <i>", signature=signature)
        scores = {key: StoredScore(step * n % 7 / 7, None) for n, (key, _) in enumerate(unscored)}
        data.add_scores(metric=signature.split("|")[0], signature=signature, scores=scores)
    spec = StudySpec(
        name=STUDY, dataset="news <i>", rule="all", judgments_per_pair=3, ties=True, question=QUESTION, checks=2
    )
    annotation.create_study(spec)
    return data, annotation


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Stores:
    """The same with judgments of three annotators: left, right, tie, left, ..., each begins elsewhere."""
    stores = stores_with_study(tmp_path_factory.mktemp("judged"))
    _, annotation = stores
    for begin, name in enumerate(NAMES):
        annotator = annotation.join(study=STUDY, name=name)
        turn = begin
        while (task := annotation.next_task(annotator)) is not None:
            choice = ("left", "right", "tie")[turn % 3]
            shown = now() - timedelta(seconds=2)
            annotation.judge(annotator=annotator, assignment_id=task.assignment_id, choice=choice, presented_at=shown)
            turn += 1
    return stores


@pytest.fixture(scope="module")
def report(judged: Stores, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The files of its report."""
    return write_report(*judged, STUDY, tmp_path_factory.mktemp("reports") / "report", Settings(seed=5))


class Page(HTMLParser):
    """The tags of a page, its visible text, and whether all is closed in the order of opening."""

    VOID = frozenset({"meta"})

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text.append(data)


def page_of(files: list[Path]) -> str:
    [path] = [path for path in files if path.name == "report.html"]
    return path.read_text(encoding="utf-8")


def figures_of(page: str) -> list[ET.Element]:
    return [ET.fromstring(drawing) for drawing in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]


def test_the_page_needs_nothing_from_outside(report: list[Path]) -> None:
    source = page_of(report)
    page = Page(source)
    tags = {tag for tag, _ in page.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "image", "use", "foreignobject", "form"}
    for _, attributes in page.tags:
        assert not any(name.startswith("on") for name in attributes)
        for name in ("href", "src", "xlink:href", "action", "srcset", "data"):
            assert (attributes.get(name) or "#").startswith("#")
        assert "url(http" not in (attributes.get("style") or "")
    [style] = re.findall(r"<style>(.*?)</style>", source, re.DOTALL)
    assert "url(" not in style
    assert "@import" not in style
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    ways = {attributes["href"] for tag, attributes in page.tags if tag == "a"}
    assert ways <= {f"#{id}" for id in ids}


def test_names_are_only_text(report: list[Path]) -> None:
    source = page_of(report)
    page = Page(source)
    text = "\n".join(page.text)
    for name in (*SYSTEMS, STUDY, QUESTION, "news <i>", "rouge1|<b>"):
        assert in_one_line(name) in text
    assert "\u202e" not in source  # it would turn what follows
    assert {tag for tag, _ in page.tags if tag in {"b", "i"}} == set()
    # a figure's title is cut where it is long, its label for screen readers is not
    labels = [element.get("aria-label", "") for figure in figures_of(source) for element in figure.iter()]
    assert any(drawable(SYSTEM) in label for label in labels)
    assert {element.tag.rsplit("}", 1)[1] for figure in figures_of(source) for element in figure.iter()} <= {
        *("svg", "g", "rect", "path", "line", "text", "defs", "linearGradient", "stop"),
    }


def test_people_read_labels_and_files_have_names(report: list[Path]) -> None:
    source, folder = page_of(report), report[0].parent
    cells = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", source)
    assert {"ROUGE-1", "ROUGE-K", "Length", "people"} <= set(cells)
    assert not {"rouge1", "rouge_k", "length"} & set(cells)
    letters = {text for figure in figures_of(source) for text in figure.itertext()}
    assert {"ROUGE-1", "ROUGE-K"} <= letters
    assert not {"rouge1", "rouge_k", "length"} & letters
    tables = (folder / "tables.tex").read_text()
    assert "\nROUGE-K & " in tables
    assert not re.search(r"^(rouge\S*|length) &", tables, re.MULTILINE)
    analysis = json.loads((folder / "analysis.json").read_text())
    assert set(analysis["metrics"]) == {"rouge1", "rouge_k", "length"}
    with (folder / "matrix.csv").open(newline="") as file:
        named = {name for row in csv.DictReader(file) for name in (row["first"], row["second"])}
    assert named == {"rouge1", "rouge_k", "length"}
    assert {html.escape("Pearson's r"), "within documents", "pooled 95 %"} <= set(cells)
    assert not {"pearson", "global", "input"} & set(cells)


def test_the_charts_are_drawings(report: list[Path]) -> None:
    source = page_of(report)
    captions = re.findall(r"</svg><figcaption>(.*?)</figcaption></figure>", source)
    assert captions == [
        "Agreement by the rule half",
        "Row minus column; *: p below .05 after Holm&#x27;s correction",
        "Agreement by the scores&#x27; difference",
        "Strengths with intervals",
        "Pearson&#x27;s r, pooled",
        "Pearson&#x27;s r, pooled",
    ]
    assert len(figures_of(source)) == len(captions)


def test_what_a_drawing_cannot_hold() -> None:
    spec = {"a": ["x\x07y\ufffe", {"b": "two\nlines \u202e"}], "n": 1, "none": None, "true": True}
    assert drawable(spec) == {
        "a": ["x[U+0007]y\ufffd", {"b": "two lines [U+202E]"}],
        "n": 1,
        "none": None,
        "true": True,
    }


def test_the_files_behind_it(report: list[Path]) -> None:
    folder = report[0].parent
    assert sorted(report) == sorted(folder.iterdir())
    sums = dict(reversed(line.split("  ", 1)) for line in (folder / "SHA256SUMS").read_text().splitlines())
    assert set(sums) == {path.name for path in report} - {"SHA256SUMS"}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
        if name != "report.html":
            assert f"{name}: <code>{digest}</code>" in page_of(report)

    analysis = json.loads((folder / "analysis.json").read_text())
    assert {f"{table}.csv" for table in analysis["tables"]} == {name for name in sums if name.endswith(".csv")}
    judgments = [json.loads(line) for line in (folder / "judgments.jsonl").read_text().splitlines()]
    assert {judgment["annotator"] for judgment in judgments} == {"P1", "P2", "P3"}
    for path in report:
        assert "Cem" not in path.read_text(encoding="utf-8"), path.name
    assert len(judgments) == 3 * (18 + 2)  # three annotators, 6 documents of 3 pairs, and 2 checks
    scores = [json.loads(line) for line in (folder / "scores.jsonl").read_text().splitlines()]
    assert len(scores) == 3 * 6 * 3
    with (folder / "agreement.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["metric"] for row in rows] == ["rouge1", "rouge_k", "length", "people"]
    for row, shown in zip(rows, analysis["tables"]["agreement"]["rows"], strict=True):
        assert float(row["half"]) == shown["half"]
        assert [float(row["half 95 % low"]), float(row["half 95 % high"])] == shown["half 95 %"]
    tables = (folder / "tables.tex").read_text()
    assert tables.count(r"\begin{table}") == tables.count(r"\end{table}") == len(analysis["tables"])
    assert "script" not in tables.replace(r"\textless{}script\textgreater{}", "").replace(
        r"\textless{}/script\textgreater{}", ""
    )


def test_the_methods_say_what_was_done(report: list[Path]) -> None:
    text = "".join(Page(page_of(report)).text)
    for message in (
        "3 annotators were asked",
        "of 18 pairs of summaries of the same document (all there are; seed 0)",
        "3 judgments wanted per pair; sides were counterbalanced per annotator and ties were allowed.",
        "54 judgments were made. 2 attention checks",
        "intervals of agreement are Clopper and Pearson's for an effective number of pairs, from how far documents "
        "differ",
        "with Holm's correction over the comparisons of a level. Differences are called significant where p is below "
        "0.05 after the correction.",
        "rouge1|<b>",
        "Python 3.",
        "5" * 64,
    ):
        assert message in text


@pytest.mark.exhaustive
def test_a_report_is_written_again_in_its_place(judged: Stores, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / "report.html").write_text("old")
    (folder / "mine.txt").write_text("mine")
    files = write_report(*judged, STUDY, folder)
    before = {path.name: path.read_bytes() for path in files if path.name not in {"report.html", "SHA256SUMS"}}
    again = write_report(*judged, STUDY, folder)
    assert {path.name: path.read_bytes() for path in again if path.name in before} == before
    assert page_of(again).startswith("<!doctype html>")
    assert (folder / "mine.txt").read_text() == "mine"


def test_a_study_without_judgments(tmp_path: Path) -> None:
    files = write_report(*stores_with_study(tmp_path), STUDY, tmp_path / "report")
    source = page_of(files)
    text = "\n".join(Page(source).text)
    for reason in (
        "no pair that people decide has a value",
        "there are no judgments",
        "no two annotators judged the same pair",
        "no choice is decided",
    ):
        assert reason in text
    assert UNDEFINED in text
    assert "nan" not in re.split(r"\W+", text.lower())
    # the scores still correlate with each other
    assert re.findall(r"<figcaption>(.*?)</figcaption>", source) == ["Pearson&#x27;s r, pooled"]
    analysis = json.loads((tmp_path / "report" / "analysis.json").read_text())
    assert analysis["metrics"]["length"]["agreement"]["half"] is None


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("study", "folder", "error"),
    [
        ("T", "new", UnknownStudy),
        (STUDY, "absent/new", FileNotFoundError),
        (STUDY, "file", FileExistsError),
    ],
)
def test_reports_that_are_refused_write_nothing(
    judged: Stores, tmp_path: Path, study: str, folder: str, error: type[Exception]
) -> None:
    (tmp_path / "file").write_text("mine")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(error):
        write_report(*judged, study, tmp_path / folder)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_text() == "mine"


def test_judgments_of_an_excluded_annotator_are_left_out_and_counted(tmp_path: Path) -> None:
    data, annotation = stores_with_study(tmp_path)
    for name in NAMES:
        annotator = annotation.join(study=STUDY, name=name)
        while (task := annotation.next_task(annotator)) is not None:
            shown = now() - timedelta(seconds=2)
            annotation.judge(annotator=annotator, assignment_id=task.assignment_id, choice="left", presented_at=shown)
    PeopleStore(annotation.engine).exclude(STUDY, NAMES[0], "always left")
    files = write_report(data, annotation, STUDY, tmp_path / "report", Settings(seed=5))
    page = Page(page_of(files))
    # 6 documents of 3 pairs, by two annotators and by the excluded one
    assert "36 by 2 annotators; 18 judgments by 1 excluded annotator are left out" in page.text
    (methods,) = (text for text in page.text if "were asked" in text)
    assert methods.startswith("2 annotators were asked")
    assert "36 judgments were made; 18 judgments by 1 excluded annotator are left out of all figures." in methods
    folder = tmp_path / "report"
    analysis = json.loads((folder / "analysis.json").read_text())
    assert analysis["facts"]["judgments"].endswith("18 judgments by 1 excluded annotator are left out")
    assert [row["annotator"] for row in analysis["tables"]["annotators"]["rows"]] == ["P2", "P3"]
    judgments = [json.loads(line) for line in (folder / "judgments.jsonl").read_text().splitlines()]
    assert {(judgment["annotator"], judgment["excluded"]) for judgment in judgments} == {
        ("P1", True),
        ("P2", False),
        ("P3", False),
    }
