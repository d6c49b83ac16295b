"""Study files in the database: applied, changed as versions, given back byte by byte; and closing by date."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from relevance.annotation.protocol.file import read_protocol, write_protocol
from relevance.annotation.protocol.pinning import NotPinned, OtherData, hash_dataset
from relevance.annotation.protocol.records import Judging, StudyProtocol, protocol_of
from relevance.annotation.protocol.store import ProtocolFixed, ProtocolStore, UnknownVersion
from relevance.annotation.records import Study, StudyClosed, StudySpec
from relevance.annotation.store import AnnotationStore
from relevance.data.database import now
from relevance.data.records import Summary
from relevance.data.store import DataStore
from tests.annotation.conftest import Create, Judge

SPEC = StudySpec(name="S", dataset="news", systems=("a", "b"), rule="random", seed=7)

Texts = Callable[..., str]


@pytest.fixture
def protocols(data_store: DataStore) -> ProtocolStore:
    return ProtocolStore(data_store.engine)


@pytest.fixture
def write(data_store: DataStore, dataset: str) -> Texts:
    """Write the study file of a small study with a comment, which no program would write; settings are replaced."""

    def write(**settings: object) -> str:
        plain = protocol_of(SPEC, hash_dataset(data_store, dataset, SPEC.systems))
        return "# ours\n" + write_protocol(replace(plain, **settings))  # type: ignore[arg-type]

    return write


def pairs_of(store: AnnotationStore, study: Study) -> int:
    return store.study(study.name).pairs


def test_what_is_applied_is_exported_byte_by_byte(protocols: ProtocolStore, write: Texts) -> None:
    text = write(title="News", closes=datetime(2100, 1, 1, tzinfo=UTC)).replace("\n[", "  \r\n[")
    study = protocols.apply(text)
    assert (study.title, study.closes, study.systems) == ("News", datetime(2100, 1, 1, tzinfo=UTC), ("a", "b"))
    assert protocols.export("S") == protocols.export("S", 1) == text


def test_a_file_is_refused_for_other_texts_or_none(
    protocols: ProtocolStore, write: Texts, data_store: DataStore
) -> None:
    text = write()
    sha256 = hash_dataset(data_store, "news", SPEC.systems)
    with pytest.raises(NotPinned, match=sha256):
        protocols.apply(text.replace(f'sha256 = "{sha256}"\n', ""))
    with pytest.raises(OtherData, match=f"{sha256}.*{'0' * 64}"):
        protocols.apply(text.replace(sha256, "0" * 64))
    data_store.add_summaries(dataset="news", summaries=[Summary("d0", "d", "of another system")])
    assert protocols.apply(text).pairs  # which the study does not show


def test_until_somebody_comes_a_file_may_change_everything(
    protocols: ProtocolStore, write: Texts, annotation_store: AnnotationStore
) -> None:
    before = protocols.apply(write())
    sampling = replace(read_protocol(write()).sampling, count=2)
    after = protocols.apply(write(question="Which?", sampling=sampling, judging=Judging(judgments_per_pair=3)))
    assert (before.pairs, after.pairs) == (5, 2)
    assert (after.question, after.judgments_per_pair, after.id) == ("Which?", 3, before.id)
    assert [item.changed for item in protocols.history("S")] == [
        (),
        ("question", "sampling.count", "judging.judgments_per_pair"),
    ]


def test_then_only_what_changes_no_judgment(
    protocols: ProtocolStore, write: Texts, annotation_store: AnnotationStore
) -> None:
    protocols.apply(write())
    annotation_store.join(study="S", name="Ada")
    with pytest.raises(ProtocolFixed, match=r"so that question, judging\.ties stay as they are; nothing was changed"):
        protocols.apply(write(title="News", question="Which?", judging=Judging(ties=True)))
    with pytest.raises(ProtocolFixed, match="so that question stays as it is"):
        protocols.apply(write(texts={read_protocol(write()).question: "Which is shorter?"}))
    assert len(protocols.history("S")) == 1
    study = protocols.apply(write(title="News", instructions="Read.", judging=Judging(idle_minutes=5)))
    assert (study.title, study.instructions, study.pairs) == ("News", "Read.", 5)
    protocols.apply(protocols.export("S"))
    assert [item.version for item in protocols.history("S")] == [1, 2]
    assert protocols.history("S")[1].changed == ("title", "instructions", "judging.idle_minutes")
    with pytest.raises(UnknownVersion, match="1 to 2"):
        protocols.export("S", 3)


def test_another_name_of_the_data_set_is_no_other_study(
    protocols: ProtocolStore, write: Texts, annotation_store: AnnotationStore, data_store: DataStore
) -> None:
    protocols.apply(write())
    annotation_store.join(study="S", name="Ada")
    data_store.rename_dataset("news", "later")
    protocols.apply(protocols.export("S"))
    assert len(protocols.history("S")) == 1
    renamed = protocols.export("S").replace('name = "news"', 'name = "later"')
    assert protocols.apply(renamed).dataset == "later"
    assert protocols.export("S") == renamed


def test_an_edit_keeps_the_comments_of_the_file(
    protocols: ProtocolStore, write: Texts, annotation_store: AnnotationStore
) -> None:
    protocols.apply(write())
    study = protocols.edit("S", {"title": "News", "instructions": "Read.\n\nChoose."})
    assert (study.title, study.instructions) == ("News", "Read.\n\nChoose.")
    assert protocols.export("S").startswith("# ours\n")
    assert read_protocol(protocols.export("S")) == replace(
        read_protocol(write()), title="News", instructions="Read.\n\nChoose."
    )
    assert protocols.edit("S", {"title": None}).title is None


def test_edits_at_one_moment_are_a_version_each(protocols: ProtocolStore, write: Texts) -> None:
    protocols.apply(write())
    with ThreadPoolExecutor(6) as pool:
        keys = {"title": "News", "instructions": "Read.", "closes": datetime(2100, 1, 1, tzinfo=UTC)}
        list(pool.map(lambda key: protocols.edit("S", {key: keys[key]}), [*keys] * 4))
    assert protocols.protocol("S") == replace(read_protocol(write()), **keys)
    assert [item.version for item in protocols.history("S")] == list(range(1, 14))


def test_a_study_closes_by_its_date(
    protocols: ProtocolStore, write: Texts, annotation_store: AnnotationStore, judge: Judge
) -> None:
    protocols.apply(write())
    ada = annotation_store.join(study="S", name="Ada")
    task = annotation_store.next_task(ada)
    assert task is not None
    assert protocols.edit("S", {"closes": now() - timedelta(minutes=1)}).state == "closed"
    assert annotation_store.next_task(ada) is None
    for refused in (
        lambda: judge(ada, task.assignment_id),
        lambda: annotation_store.skip(annotator=ada, assignment_id=task.assignment_id, reason="unreadable"),
        lambda: annotation_store.join(study="S", name="Ben"),
        lambda: annotation_store.invite(study="S", name="Ben"),
        lambda: annotation_store.close_study("S", closed=False),
    ):
        with pytest.raises(StudyClosed):
            refused()
    assert annotation_store.join(study="S", name="Ada") == ada  # to look at what she judged
    assert protocols.edit("S", {"closes": now() + timedelta(minutes=1)}).state == "open"
    judge(ada, task.assignment_id)


def test_a_study_made_by_a_form_pins_its_data_too(create: Create, protocols: ProtocolStore) -> None:
    create(systems=())
    protocol: StudyProtocol = protocols.protocol("S")
    assert protocol.dataset.systems == ("a", "b", "c")
    assert protocol.dataset.sha256 == hash_dataset(protocols, "news")
