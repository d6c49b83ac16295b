"""Summaries by a language model, against a server of the test's own."""

import pytest

from relevance.data.records import OUTPUT_CUT, SOURCE_CUT, TRAINED_ON, Document
from relevance.data.store import DataStore
from relevance.llm.asking import Caller, Limits
from relevance.llm.calls import Calls
from relevance.llm.client import Settings
from relevance.llm.openai_client import OpenAIClient
from relevance.llm.prompts import Prompt, Shot
from relevance.summarizers.adding import TrainedOnDocuments, add_systems
from relevance.summarizers.base import VERSION, BatchSummarizer, describe_failures
from relevance.summarizers.language_model import LanguageModel
from tests.llm.stub import Handler, Stub, fails, says

DOCUMENTS = [
    Document("a", "The cat sat. It was on the mat.", ("A cat sat.",)),
    Document("b", ("A dog ran.", "It ran far."), ("A dog ran.",)),
    Document("no source", " ", ("A reference.",)),
    Document("c", "word " * 600, ("A word.",)),
]


@pytest.fixture
def caller(stub: Stub, calls: Calls) -> Caller:
    return Caller(OpenAIClient("some-model", stub.address), calls, limits=Limits(at_once=1, attempts=1))


def add(store: DataStore, documents: list[Document]) -> None:
    store.add_dataset(name="news", format="interchange", sha256="", records=[(document, []) for document in documents])


def test_the_papers_settings(stub: Stub, caller: Caller) -> None:
    system = LanguageModel(caller)
    assert isinstance(system, BatchSummarizer)
    assert [item.id for batch in system.plan(DOCUMENTS) for item in batch] == ["a", "b", "c"]
    summaries = system.summarize([DOCUMENTS[0], DOCUMENTS[1], DOCUMENTS[3]])
    assert [(summary.document_id, summary.system, summary.text, summary.remarks) for summary in summaries] == [
        ("a", "llm:some-model", "A summary.", ()),
        ("b", "llm:some-model", "A summary.", ()),
        ("c", "llm:some-model", "A summary.", (SOURCE_CUT,)),
    ]
    prompt = "Generate a summary of the following document in one sentence\n\n<document>\n"
    assert stub.questions == [
        f"{prompt}The cat sat. It was on the mat.\n</document>",
        f"{prompt}A dog ran. It ran far.\n</document>",
        f"{prompt}{'word ' * 408}word\n</document>",  # 512 tokens of 4 bytes hold 409 words with their spaces
    ]
    assert stub.requests[0]["max_tokens"] == 128
    assert stub.requests[0]["temperature"] == 0


def test_a_signature_names_all_that_a_text_depends_on(stub: Stub, caller: Caller) -> None:
    system = LanguageModel(caller)
    assert system.signature == (
        f"llm|model:some-model|at:{stub.address}|prompt:{Prompt().hash}|source:512|counted:bytes/4|max_tokens:128|"
        f"temperature:0.0|sentences:1|version:{VERSION}"
    )
    others = [
        LanguageModel(caller, Prompt(shots=(Shot("d", "s"),))),
        LanguageModel(caller, settings=Settings(seed=1)),
        LanguageModel(caller, source_tokens=100),
        LanguageModel(caller, sentences=None),
    ]
    assert len({system.signature, *(other.signature for other in others)}) == 5


@pytest.mark.parametrize(
    ("text", "finish", "sentences", "kept", "remarks"),
    [
        ("One. Two. Three.", "stop", 1, "One.", ()),
        ("One. Two. Three.", "stop", 2, "One. Two.", ()),
        (" One. Two. ", "stop", None, "One. Two.", ()),
        ("One. Two and", "length", 1, "One.", ()),  # whole before the limit
        ("One and", "length", 1, "One and", (OUTPUT_CUT,)),
        ("One. Two and", "length", None, "One. Two and", (OUTPUT_CUT,)),
        ("Dr. Who et al. won.\n\nMore", "stop", 1, "Dr. Who et al. won.", ()),
        ("<b>\x1b[31mRed</b>. Two.", "stop", 1, "<b>\x1b[31mRed</b>.", ()),
    ],
)
def test_the_first_sentences_are_kept(
    text: str, finish: str, sentences: int | None, kept: str, remarks: tuple[str, ...], stub: Stub, caller: Caller
) -> None:
    stub.usual = says(text, finish)
    summary = LanguageModel(caller, sentences=sentences).summarize(DOCUMENTS[:1])[0]
    assert (summary.text, summary.remarks) == (kept, remarks)


def test_what_came_to_nothing_is_undone_with_its_reason_until_the_next_run(
    stub: Stub, caller: Caller, data_store: DataStore
) -> None:
    add(data_store, DOCUMENTS)
    stub.replies.extend([says("First one. Second one."), says(None, refusal="No."), fails(400, "too long")])
    system = LanguageModel(caller)
    assert next(add_systems(data_store, "news", [system]))[:4] == ("llm:some-model", 1, 0, 4)
    assert system.failures == {"b": "refused: No.", "c": f"{stub.address} answers 400: too long"}
    assert describe_failures(system.failures) == [
        "1 document: refused: No.",
        f"1 document: {stub.address} answers 400: too long",
    ]
    again = LanguageModel(caller)
    assert next(add_systems(data_store, "news", [again]))[:4] == ("llm:some-model", 2, 1, 4)
    assert again.failures == {}
    assert len(stub.requests) == 5  # the first answer was recorded
    stored = {document.id: summaries[0].text for document, summaries in data_store.records("news") if summaries}
    assert stored == {"a": "First one.", "b": "A summary.", "c": "A summary."}


def test_of_many_reasons_the_most_frequent_are_said(caller: Caller) -> None:
    system = LanguageModel(caller)
    system.failures = {f"d{number}": reason for number, reason in enumerate("aabbbbcccdef")}
    assert describe_failures(system.failures) == [
        "4 documents: b",
        "3 documents: c",
        "2 documents: a",
        "3 documents: other reasons",
    ]


def test_what_examples_show_is_not_summarized_unless_that_is_wanted(
    stub: Stub, caller: Caller, data_store: DataStore
) -> None:
    add(data_store, DOCUMENTS)
    prompt = Prompt(shots=(Shot(DOCUMENTS[1].source_text, DOCUMENTS[1].references[0]),))
    system = LanguageModel(caller, prompt, examples=[DOCUMENTS[1]])
    with pytest.raises(TrainedOnDocuments, match="1 of the 4 documents"):
        next(add_systems(data_store, "news", [system]))
    assert stub.requests == []
    next(add_systems(data_store, "news", [system], trained_on=True))
    remarks = {document.id: summaries[0].remarks for document, summaries in data_store.records("news") if summaries}
    assert remarks == {"a": (), "b": (TRAINED_ON,), "c": (SOURCE_CUT,)}


def test_a_stopped_run_goes_on_without_asking_again(stub: Stub, caller: Caller, data_store: DataStore) -> None:
    many = [Document(f"d{i}", f"Text {i}.", ()) for i in range(9)]
    add(data_store, many)

    def stop(done: int, total: int) -> None:
        if done == 4:  # the first batch of four
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(add_systems(data_store, "news", [LanguageModel(caller)], progress=stop))
    assert next(add_systems(data_store, "news", [LanguageModel(caller)]))[1:4] == (5, 4, 9)
    assert len(stub.requests) == len(set(stub.questions)) == 9


def test_an_estimate_asks_nothing(stub: Stub, caller: Caller) -> None:
    system = LanguageModel(caller)
    system.summarize(DOCUMENTS[:1])
    plan = system.estimate(DOCUMENTS)
    # 62 bytes of the prompt, 23 of marks and line ends; 22 of b are 27 tokens in all, 2044 of c are 533
    assert plan == (3, 1, 27 + 533, 2 * 128, "bytes/4")
    assert len(stub.requests) == 1


@pytest.mark.parametrize("model", ["a|b", "a\nb", "a\x1b[2J"])
def test_a_model_whose_name_would_break_a_signature_is_refused(model: str, stub: Stub, calls: Calls) -> None:
    with pytest.raises(ValueError, match="characters"):
        LanguageModel(Caller(OpenAIClient(model, stub.address), calls))


@pytest.mark.parametrize("settings", [{"source_tokens": 0}, {"sentences": 0}])
def test_settings_that_make_no_summary(settings: dict[str, int], caller: Caller) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        LanguageModel(caller, **settings)  # type: ignore[arg-type]


def test_documents_are_asked_at_once(stub: Stub, calls: Calls) -> None:
    from threading import Barrier

    together = Barrier(2)

    def reply(handler: Handler) -> None:
        together.wait(60)
        says("A.")(handler)

    stub.usual = reply
    system = LanguageModel(Caller(OpenAIClient("m", stub.address), calls, limits=Limits(at_once=2)))
    assert len(system.summarize(DOCUMENTS[:2])) == 2
