"""The LSTMs as training methods: what they read of documents, what they learn to write, their folders."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest
import torch

from relevance.data.records import NOTHING_GIVEN, Document
from relevance.data.training_history import HISTORY, read_history
from relevance.metrics.apes import Apes
from relevance.metrics.apes.entities import Entity
from relevance.summarizers.checkpoints import WritingOptions, checkpoint_summarizer
from relevance.summarizers.methods.base import Decoding, UnsuitableDocuments, UnsuitableModel
from relevance.summarizers.methods.own_network import Input
from relevance.summarizers.methods.published import PUBLISHED
from relevance.summarizers.pointer.entities import WantedEntities, mark_words
from relevance.summarizers.pointer.method import ApesPointer, Lstm, Pointer
from relevance.summarizers.pointer.words import STOP, cut_words
from relevance.summarizers.training.run import start, train
from relevance.summarizers.training.task import Task
from relevance.summarizers.training_documents import TRAINING_DOCUMENTS, TrainingDocuments
from tests.summarizers.checkpoints import DOCUMENTS

pytestmark = pytest.mark.model

SMALL: Any = {"embedding": 16, "width": 32}

SHORT = Decoding(num_beams=2, max_new_tokens=12, no_repeat_ngram_size=0, length_penalty=0.9)


class Capitals:
    """Finds words with a capital inside a sentence, as persons."""

    signature = "capitals"

    def find(self, texts: Any) -> list[list[Entity]]:
        names = ("Ada", "Bo", "Cy")
        return [[Entity(s, e, "PER") for (s, e) in cut_words(text).spans if text[s:e] in names] for text in texts]


def wanted_entities() -> WantedEntities:
    apes = Apes(entities="spacy:none")
    apes.finder = Capitals()
    return WantedEntities(apes)


def test_words_that_name_what_the_references_ask_for_are_marked() -> None:
    """Ada and Bo stand in the reference, and each is asked for there; Cy is in the source alone."""
    document = Document("d", "Ada met Cy. The friend of Bo saw Ada.", ("Yesterday Ada met her friend Bo.",))
    (named,) = wanted_entities().find([document])
    assert [document.source_text[start:end] for start, end in named] == ["Ada", "Bo", "Ada"]
    words, spans = cut_words(document.source_text)
    marks = mark_words(spans, named)
    assert [word for word, mark in zip(words, marks, strict=True) if mark] == ["ada", "bo", "ada"]


def test_a_batch_marks_them_where_the_entities_are_learned() -> None:
    method = ApesPointer(**SMALL, source_words=6)
    method.wanted = wanted_entities()
    documents = [
        Document("d", "Ada met Cy. The friend of Bo saw Ada.", ("Yesterday Ada met her friend Bo.",)),
        Document("e", "Nobody came.", ("Nobody.",)),
    ]
    network = Pointer(**SMALL).start(None, documents)
    batch = method.batch(network, documents, labels=True)
    assert batch["asked"].tolist() == [[1, 0, 0, 0, 0, 0], [0] * 6]  # cut before Bo; nothing is asked of the other
    assert batch["lengths"].tolist() == [6, 3]
    assert "asked" not in Pointer(**SMALL).batch(network, documents, labels=True)
    assert method.remarks(documents) == [
        "the references of 1 of 2 documents ask for no entity, so that entities are not learned from them"
    ]
    assert method.remarks(documents[:1]) == []


def test_titles_are_learned_where_they_are_the_target() -> None:
    documents = [Document("d", "One two three.", ("A reference.",), title="A title")]
    (learned,) = Lstm().documents(documents)
    assert learned.references == ("A title",)
    assert Pointer().documents(documents) == documents
    with pytest.raises(UnsuitableDocuments, match=r"1 of 2 documents do not have; the first is 'e'"):
        Lstm().documents([*documents, Document("e", "One.", ("A reference.",))])


def test_long_abstracts_are_not_learned_from() -> None:
    """The LSTM of Dobko et al. leaves them out; pointer-generators cut them."""
    long, short = Document("l", "One two three.", ("A",), "A"), Document("s", "One two.", ("B",), "B")
    method = Lstm(source_words=3)
    assert [method.learns_from(item) for item in (long, short)] == [False, True]
    assert method.remarks([long, short]) == [
        "1 of 2 documents have more than 3 words and are not learned from (--source-words)"
    ]
    cuts = Pointer(**SMALL, source_words=3)
    assert cuts.learns_from(long)
    assert cuts.remarks([long, short]) == []
    assert cuts.batch(cuts.start(None, [long]), [long], labels=True)["lengths"].tolist() == [3]


def test_sources_are_read_whole_to_write_unless_asked() -> None:
    torch.manual_seed(0)
    method = Pointer(**SMALL, source_words=3)
    network = method.start(None, DOCUMENTS[:1])
    (whole,) = method.outputs(network, DOCUMENTS[:1], SHORT)
    (cut,) = method.outputs(network, DOCUMENTS[:1], SHORT, Input(words=3))
    assert (whole.source_cut, cut.source_cut) == (False, True)
    assert whole.text != cut.text


def test_the_system_for_apes_does_not_start_from_nothing() -> None:
    with pytest.raises(UnsuitableModel, match="goes on from a trained pointer-generator: name its folder with --from"):
        ApesPointer().start(None, DOCUMENTS)


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pointer-generator that knows two documents by heart."""
    folder = tmp_path_factory.mktemp("trained") / "baseline"
    assert train(by_heart(Pointer(**SMALL)), folder)
    return folder


def by_heart(method: Lstm, model: Path | None = None, **changes: Any) -> Task:
    documents = tuple(method.documents([replace(item, title=item.references[0]) for item in DOCUMENTS[:2]]))
    training = replace(PUBLISHED[method.name].training, learning_rate=0.3, batch=2, epochs=3)
    return Task(method, model, documents * 50, documents, replace(training, **changes), SHORT)


def test_training_goes_on_from_words_and_weights(baseline: Path) -> None:
    """All weights are those that were trained, but for the entity attention, which is new."""
    task = by_heart(ApesPointer(**SMALL), baseline)
    model, vocabulary = start(task)
    trained = Pointer(**SMALL).load(baseline)
    assert vocabulary.words == trained.tokenizer.words
    there, made = trained.model.state_dict(), model.state_dict()
    assert all(torch.equal(made[name], value) for name, value in there.items())
    assert {name.partition(".")[0] for name in made.keys() - there.keys()} == {"entity"}


@pytest.mark.parametrize(
    ("method", "told"),
    [
        (Pointer(embedding=16, width=64), "width is 32 in the folder to go on from, and cannot be 64"),
        (Pointer(**SMALL, vocabulary=7), "vocabulary is 50000 in the folder"),
        (Lstm(**SMALL), "lstm has other layers than pointer, from which it cannot go on"),
    ],
    ids=["size", "words", "layers"],
)
def test_what_does_not_fit_the_trained_network_is_refused(method: Lstm, told: str, baseline: Path) -> None:
    with pytest.raises(UnsuitableModel, match=told):
        start(by_heart(method, baseline))


def test_a_system_that_goes_on_knows_the_documents_of_both_trainings(baseline: Path, tmp_path: Path) -> None:
    other = (Document("x", "Nobody came to the town.", ("Nobody came.",)),)
    task = replace(by_heart(Pointer(**SMALL), baseline, epochs=1), documents=other)
    assert train(task, tmp_path / "out")
    known = TrainingDocuments.in_folder(tmp_path / "out")
    assert len(known) == 3
    assert all(document in known for document in (*other, *DOCUMENTS[:2]))
    assert json.loads((tmp_path / "out" / "method.json").read_text())["model"] == task.as_json()["model"]
    assert by_heart(Pointer(**SMALL)).as_json()["model"] is None


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"source_words": 0}, "source_words must be at least 1"),
        ({"width": 5}, "even number"),
        ({"delta": 2.0}, "from 0 to 1"),
        ({"entity_loss": "most"}, "entity_loss must be one of mean, sum"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Any, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        ApesPointer(**settings)


@pytest.mark.parametrize("method", [Lstm(**SMALL), ApesPointer(**SMALL)], ids=lambda method: method.name)
def test_a_few_documents_are_learned_word_for_word(method: Lstm, baseline: Path, tmp_path: Path) -> None:
    """Trained, judged on dev, written into a folder and read again, all by the real parts."""
    task = by_heart(method, baseline if method.needs_model else None)
    assert train(task, tmp_path / "out")
    again = type(method)(**method.settings)
    network = again.load(tmp_path / "out")
    assert again.write(network, task.dev, SHORT) == [document.references[0].lower() for document in task.dev]
    files = ("method.json", "model.safetensors", TRAINING_DOCUMENTS, "vocabulary.json", HISTORY)
    assert sorted(file.name for file in (tmp_path / "out").iterdir()) == sorted(files)


def test_a_word_that_the_vocabulary_lacks_is_copied() -> None:
    torch.manual_seed(0)
    method = Pointer(**SMALL, vocabulary=2)
    documents = [Document("d", "zebra yak zebra", ("yak",))]
    network = method.start(None, [Document("t", "a a b b", ("a",))])
    network.model.generate.bias.data[:] = -1e9  # all is copied
    (text,) = method.write(network, documents, replace(SHORT, max_new_tokens=3))
    assert set(text.split()) <= {"zebra", "yak"}
    assert text


def test_a_document_without_a_word_gets_an_empty_text() -> None:
    method = Pointer(**SMALL)
    assert method.write(method.start(None, DOCUMENTS), [Document("d", " ", ("a",))], SHORT) == [""]


def test_a_system_that_writes_nothing_has_empty_summaries(tmp_path: Path) -> None:
    """It wrote them, so that they are not tried again; a document without a word has none, as with any checkpoint."""
    method = Lstm(**SMALL)
    network = method.start(None, DOCUMENTS)
    network.model.output.bias.data[STOP] = 1e9
    method.save(network, tmp_path, SHORT)
    text = {"method": "lstm", "settings": method.settings, "decoding": asdict(SHORT)}
    (tmp_path / "method.json").write_text(json.dumps(text))
    system = checkpoint_summarizer(f"pointer:{tmp_path}", WritingOptions(device="cpu"))
    written = system.summarize([DOCUMENTS[0], Document("empty", " ", ("a",)), DOCUMENTS[1]])
    assert [(summary.document_id, summary.text) for summary in written] == [
        (DOCUMENTS[0].id, ""),
        (DOCUMENTS[1].id, ""),
    ]


def test_given_the_entities_a_system_reads_the_references_and_says_so(baseline: Path, tmp_path: Path) -> None:
    """The last row of Table 4: positions of the entities that the references ask for."""
    torch.manual_seed(0)
    method = ApesPointer(**SMALL)
    folder = tmp_path / "apes"
    folder.mkdir()
    method.save(start(by_heart(method, baseline)), folder, SHORT)
    (folder / "method.json").write_text(
        json.dumps({"method": method.name, "settings": method.settings, "decoding": asdict(SHORT)})
    )
    plain = checkpoint_summarizer(f"pointer:{folder}", WritingOptions(device="cpu"))
    given = checkpoint_summarizer(f"pointer:{folder}", WritingOptions(device="cpu", gold_entities=True))
    assert (plain.name, given.name) == ("apes", "oracle-apes")
    given.method.wanted = wanted_entities()
    assert "gold_entities:True|finder:capitals" in given.signature
    assert "gold_entities" not in plain.signature
    named = Document("n", "Ada met Bo. Cy saw the town.", ("Ada came.",))
    nobody = Document("o", "Nobody met the town.", ("Nobody came.",))
    assert [item.remarks for item in given.summarize([named, nobody])] == [(), (NOTHING_GIVEN,)]

    with pytest.raises(ValueError, match="its name has to say so: oracle-mine"):
        checkpoint_summarizer(f"pointer:{folder}", WritingOptions(gold_entities=True), system="mine")
    with pytest.raises(ValueError, match="pointer has no option gold_entities"):
        checkpoint_summarizer(f"pointer:{baseline}", WritingOptions(gold_entities=True))


def test_a_resumed_run_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    """Adagrad's sums are kept, too."""
    training = replace(PUBLISHED["pointer"].training, batch=2, epochs=2)
    task = Task(Pointer(**SMALL), None, tuple(DOCUMENTS), tuple(DOCUMENTS[:1]), training, SHORT)
    assert train(task, tmp_path / "whole")

    def stop(done: int, total: int) -> None:
        if done == 5:  # of six
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(task, tmp_path / "stopped", progress=stop)
    assert train(task, tmp_path / "stopped", resume=True)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    files = [path.name for path in whole.iterdir() if path.name != HISTORY]
    assert all((whole / name).read_bytes() == (stopped / name).read_bytes() for name in files)
    entries = [[replace(entry, seconds=0.0) for entry in read_history(folder / HISTORY)] for folder in (whole, stopped)]
    assert entries[0] == entries[1]


def test_published_settings() -> None:
    """Those of Eyal et al. (2019), appendix A, as far as it gives them."""
    for name, epochs in (("lstm", 20), ("pointer", 20), ("pointer-apes", 5)):
        training = PUBLISHED[name].training
        assert (training.learning_rate, training.batch * training.accumulation, training.clip) == (0.15, 16, 2)
        assert (training.epochs, training.weight_decay) == (epochs, 0)
        assert PUBLISHED[name].decoding.no_repeat_ngram_size == 3
    decoding = PUBLISHED["pointer-apes"].decoding
    assert (decoding.num_beams, decoding.min_new_tokens, decoding.length_penalty) == (5, 35, 0.9)
    assert (ApesPointer().coverage, ApesPointer().entities, ApesPointer().delta) == (0.5, 0.5, 0.01)
    assert (ApesPointer().source_words, ApesPointer().target_words) == (400, 100)
    assert (ApesPointer().embedding, ApesPointer().width, ApesPointer().vocabulary) == (128, 512, 50_000)
    assert (Lstm().source_words, PUBLISHED["lstm"].decoding.max_new_tokens) == (600, 30)
    gsum = PUBLISHED["gsum"].training
    assert (gsum.learning_rate, gsum.warmup, gsum.updates) == (3e-5, 500, 20_000)
