"""A study with a stopping rule on its page, on Overview, and for its annotators."""

from datetime import timedelta
from pathlib import Path

import pytest

from relevance.analysis.agreement.sequential import decide_to_stop
from relevance.annotation.people import PeopleStore
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Pinned, Sampling, Stopping, StudyProtocol
from relevance.annotation.stopping import StoppingStore
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.demo import NAME
from relevance.data.signatures import find_signature
from relevance.data.store import DataStore
from tests.commands import refused, run
from tests.pages.opening import html, open_page, open_work, page_text, sound

Demo = tuple[DataStore, AnnotationStore]

DOCUMENTS = 14


@pytest.fixture
def study(demo: Demo) -> str:
    """A study that compares ROUGE-1 with one half on all pairs of 14 documents of the demo corpus."""
    data, annotation = demo
    signatures = [signature.signature for signature in data.signatures(NAME)]
    protocol = StudyProtocol(
        name="Ends",
        dataset=Pinned(name=NAME),
        sampling=Sampling(rule="random", per_document=1, seed=2),
        stopping=Stopping(first=find_signature("rouge1", signatures) or "", most_documents=DOCUMENTS),
    )
    annotation.create_study(protocol.spec, write_protocol(protocol))
    return "Ends"


def judge(demo: Demo, name: str, documents: int) -> None:
    """Judge as ROUGE-1 does."""
    data, annotation = demo
    signature = find_signature("rouge1", [signature.signature for signature in data.signatures(NAME)]) or ""
    scores = data.scores(dataset=NAME, signature=signature)
    of_text = {
        summary.text: scores[document.id, summary.system].value
        for document, summaries in data.records(NAME)
        for summary in summaries
    }
    annotator = annotation.join(study="Ends", name=name)
    for _ in range(documents):
        task = annotation.next_task(annotator)
        if task is None:
            return
        left, right = (of_text[text] or 0 for text in (task.left, task.right))
        shown = now() - timedelta(seconds=2)
        annotation.judge(
            annotator=annotator,
            assignment_id=task.assignment_id,
            choice="left" if left > right else "right",
            presented_at=shown,
        )


def open_stopping() -> str:
    app = open_page("studies.py", study="Ends")
    app.session_state.study_part = "Stopping"
    return page_text(sound(app.run()))


def test_the_page_says_to_go_on_and_then_to_stop(demo: Demo, study: str) -> None:
    assert "No document is complete yet" in open_stopping()
    judge(demo, "Ana", 3)
    page = open_stopping()
    assert "After 3 documents of at most 14 the wealth is" in page
    assert "Compared: ROUGE-1 with one half" in page
    assert "Go on: after 3 documents" in page_text(open_page("studies.py", study=study))
    assert "Go on: after 3 documents" in page_text(open_page("overview.py", study=study))
    judge(demo, "Ana", DOCUMENTS)
    page = open_stopping()
    assert "ROUGE-1 agrees with annotators more often than chance" in page
    assert demo[1].study(study).stopped_at is not None
    assert "Stop: after" in page_text(open_page("overview.py", study=study))


def test_annotators_end_and_learn_nothing_of_it(demo: Demo, study: str) -> None:
    annotator = demo[1].join(study=study, name="Ana")
    judge(demo, "Ana", 12)
    app = open_work(annotator=annotator.token)
    assert demo[1].study(study).stopped_at is not None  # what they judged decided it
    assert not [button for button in app.button if (button.key or "").startswith("left:")]
    seen = f"{page_text(app)} {html(app)}".lower()
    assert not [word for word in ("wealth", "stopping", "rouge-1 agrees") if word in seen]


def test_who_is_excluded_after_the_decision_changes_the_sequence_and_not_the_decision(demo: Demo, study: str) -> None:
    judge(demo, "Ana", 12)
    StoppingStore(demo[1].engine).look(study, decide_to_stop)
    stopped = demo[1].study(study).stopped_at
    assert stopped is not None
    PeopleStore(demo[1].engine).exclude(study, "Ana", "a program")
    page = open_stopping()
    assert "Judgments were changed or left out since: as they stand, the wealth after 0 documents is 1.0." in page
    assert "20 is enough" in page
    assert demo[1].study(study).stopped_at == stopped


def test_the_table_is_printed(demo: Demo, study: str) -> None:
    judge(demo, "Ana", 3)
    printed = run("analyze", "--study", study, "--tables", "sequential").stdout
    assert "The stopping rule" in printed
    assert "go on" in printed
    assert "sequential" in refused("analyze", "--study", "Demo", "--tables", "sequential")


def test_the_report_says_what_was_registered_and_what_to_cite(demo: Demo, study: str, tmp_path: Path) -> None:
    judge(demo, "Ana", 3)
    run("report", study, "-o", tmp_path / "report")
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Go on: after 3 documents of at most 14" in page
    assert "Before the first judgment it was registered that the study ends by a stopping rule" in page
    assert "Estimating means of bounded random variables by betting" in page
    assert "enough: 20" in page
    assert (tmp_path / "report" / "sequential.csv").read_text().startswith("as of,first,second,documents")
