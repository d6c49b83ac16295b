"""The end of an annotator's way, for who came from a panel: the link that they press, or what else to do."""

from typing import Any

import pytest
from sqlalchemy import update
from sqlalchemy.orm import Session

from relevance.annotation.languages import Wording
from relevance.annotation.phases import DECLINED, FAILED, FINISHED, SCREENED_OUT, TIMED_OUT, WITHDRAWN
from relevance.annotation.protocol.file import write_protocol
from relevance.annotation.protocol.records import Consent, Panel, Pinned, Sampling, StudyProtocol
from relevance.annotation.store import AnnotationStore
from relevance.annotation.tables import AnnotatorRow
from relevance.data.database import connect
from relevance.data.demo import NAME
from relevance.hosting.links import LinkStore
from tests.hosting.test_panels import PROLIFIC, SESSION, SONA
from tests.pages.opening import html, open_work, page_text

pytestmark = pytest.mark.page

COMPLETE = "https://app.prolific.com/submissions/complete?cc="
RETURN = (
    "There is no completion code for this. Please return your submission: on Prolific, choose “Cancel participation”."
)
ELSEWHERE = "There is no completion code for this. Please return the task where you found it."


def end(url: str, panel: Panel, phase: str, **tables: Any) -> Any:
    """The page of somebody who came from a panel, and whose last phase this is."""
    engine = connect(url)
    store, links = AnnotationStore(engine), LinkStore(engine)
    protocol = StudyProtocol(
        name="P",
        dataset=Pinned(name=NAME),
        sampling=Sampling(rule="random", count=4),
        consent=Consent(text="Yes?"),
        panel=panel,
        **tables,
    )
    store.create_study(protocol.spec, write_protocol(protocol))
    entered = links.enter(links.add_link("P", kind="panel").token, SESSION | {"survey_code": "47/11"})
    with Session(engine.execution_options(writing=True)) as session:
        session.execute(update(AnnotatorRow).where(AnnotatorRow.id == entered).values(phase=phase, code="OWNCODE"))
        session.commit()
    (annotator,) = store.invited("P")
    engine.dispose()
    return open_work(annotator=annotator.token)


@pytest.mark.parametrize(
    ("panel", "phase", "address"),
    [
        (PROLIFIC, FINISHED, f"{COMPLETE}C1DONE"),
        (PROLIFIC, FAILED, f"{COMPLETE}C2FAILED"),
        (PROLIFIC, SCREENED_OUT, f"{COMPLETE}C2FAILED"),
        (SONA, FINISHED, SONA.completed.replace("{person}", "47%2F11")),
    ],
)
def test_who_has_a_code_is_sent_back_by_a_link(demo_url: str, panel: Panel, phase: str, address: str) -> None:
    app = end(demo_url, panel, phase)
    (link,) = app.get("link_button")
    assert link.proto.url == address
    assert link.proto.label == ("Back to Prolific" if panel is PROLIFIC else "Back to where you came from")
    assert not app.info
    assert not app.code  # a code of our own would be taken for the panel's
    assert "close this page" not in html(app)


@pytest.mark.parametrize(
    ("panel", "phase", "told"),
    [
        (PROLIFIC, DECLINED, RETURN),
        (PROLIFIC, WITHDRAWN, RETURN),
        (PROLIFIC, TIMED_OUT, RETURN),
        (SONA, FAILED, ELSEWHERE),
    ],
)
def test_who_has_none_is_told_what_to_do(demo_url: str, panel: Panel, phase: str, told: str) -> None:
    app = end(demo_url, panel, phase)
    assert not app.get("link_button")
    assert [info.value for info in app.info] == [told]


def test_the_way_back_speaks_the_studys_language_and_its_own_words_first(demo_url: str) -> None:
    own = {"You have finished": "Das war's, **wirklich** & ehrlich!"}
    app = end(demo_url, PROLIFIC, FINISHED, language="de", texts=own)
    assert app.get("link_button")[0].proto.label == "Zurück zu Prolific"
    assert "Das war&#x27;s, **wirklich** &amp; ehrlich!" in html(app)
    assert Wording("de").say("Everything is saved. Thank you!") in html(app)
    assert "Thank you" not in html(app) + page_text(app)
