import subprocess
import sys
from pathlib import Path

import pytest

from relevance.data.records import Document
from relevance.metrics.languages import ENGLISH, keyword_settings
from relevance.summarizers import SUMMARIZERS, UnknownSummarizer, summarizer
from relevance.summarizers.registry import BASELINES

LEMMAS = f"lemma:{keyword_settings(ENGLISH)['lemma']}"


@pytest.mark.parametrize(
    ("wanted", "name", "signature"),
    [
        ("lead", "lead", "lead|sentences:3|version:0.2.0"),
        ("lead-3", "lead", "lead|sentences:3|version:0.2.0"),
        ("lead-1", "lead-1", "lead|sentences:1|version:0.2.0"),
        ("lead-12", "lead-12", "lead|sentences:12|version:0.2.0"),
        ("textrank", "textrank", "textrank|sentences:3|damping:0.85|version:0.2.0"),
        ("textrank-2", "textrank-2", "textrank|sentences:2|damping:0.85|version:0.2.0"),
        ("lead-5", "lead-5", "lead|sentences:5|version:0.2.0"),
        ("lead-100w", "lead-100w", "lead|words:100|version:0.2.0"),
        ("lead-3w", "lead-3w", "lead|words:3|version:0.2.0"),
        ("lead-ref", "lead-ref", "lead|length:reference|version:0.2.0"),
        ("textrank-ref", "textrank-ref", "textrank|length:reference|damping:0.85|version:0.2.0"),
        ("random", "random", "random|sentences:3|seed:0|version:0.2.0"),
        ("random-3", "random", "random|sentences:3|seed:0|version:0.2.0"),
        ("random-3-seed7", "random-seed7", "random|sentences:3|seed:7|version:0.2.0"),
        ("random-seed0", "random", "random|sentences:3|seed:0|version:0.2.0"),
        ("random-80w-seed12", "random-80w-seed12", "random|words:80|seed:12|version:0.2.0"),
        ("lexrank", "lexrank", "lexrank|sentences:3|damping:0.85|threshold:0.1|version:0.2.0"),
        ("tfidf-2", "tfidf-2", f"tfidf|sentences:2|{LEMMAS}|version:0.2.0"),
        ("sumbasic", "sumbasic", f"sumbasic|sentences:3|{LEMMAS}|version:0.2.0"),
        ("lsa-ref", "lsa-ref", f"lsa|length:reference|{LEMMAS}|version:0.2.0"),
        ("rake", "rake-ref", "rake|stop:smart|length:reference|version:0.2.0"),
        ("rake-ref", "rake-ref", "rake|stop:smart|length:reference|version:0.2.0"),
        ("rake-100w", "rake-100w", "rake|stop:smart|words:100|version:0.2.0"),
        ("rake-cut3-100w", "rake-cut3-100w", "rake|stop:smart|longest:3|words:100|version:0.2.0"),
        (
            "oracle-exact-rouge1",
            "oracle-exact-rouge1",
            "oracle|algorithm:exact|by:relevance|seconds:60|metric:rouge1|definition:clipped|ngrams:within-sentences|refs:max|"
            "tok:a-z0-9|stem:porter|version:0.2.0",
        ),
        (
            "oracle-greedy-rouge2-set",
            "oracle-greedy-rouge2-set",
            "oracle|algorithm:greedy|by:akhmetov2022|metric:rouge2|definition:set|ngrams:within-sentences|refs:max|"
            "tok:a-z0-9|stem:porter|version:0.2.0",
        ),
        (
            "oracle-vns_greedy-rouge1-set-first-3-seed7",
            "oracle-vns_greedy-rouge1-set-first-3-seed7",
            "oracle|algorithm:vns_greedy|by:relevance|k_max:3|iterations:5000|patience:700|seconds:60|seed:7|metric:rouge1|"
            "definition:set|ngrams:within-sentences|refs:first|tok:a-z0-9|stem:porter|sentences:3|version:0.2.0",
        ),
        (
            "oracle-genetic-rouge2-100w",
            "oracle-genetic-rouge2-100w",
            "oracle|algorithm:genetic|by:relevance|generations:6|population:80|seed:0|metric:rouge2|definition:clipped|"
            "ngrams:within-sentences|refs:max|tok:a-z0-9|stem:porter|words:100|version:0.2.0",
        ),
        (
            "oracle-vns@paper-rouge1",
            "oracle-vns@paper-rouge1",
            "oracle|algorithm:vns@paper|by:akhmetov2022|size:reference-sentences|k_max:3|iterations:5000|patience:700|seconds:60|"
            "seed:0|metric:rouge1|definition:clipped|ngrams:within-sentences|refs:max|tok:a-z0-9|stem:porter|"
            "version:0.2.0",
        ),
        ("reference:2", "reference:2", "reference|number:2|version:0.2.0"),
        ("title", "title", "title|version:0.2.0"),
    ],
)
def test_a_name_makes_a_summarizer(wanted, name, signature):
    made = summarizer(wanted)
    assert (made.name, made.signature) == (name, signature)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "bart",
        "Lead",
        "lead-",
        "lead-0",
        "lead--1",
        "lead-01",
        "lead-1.5",
        "lead-K",
        "lead-²",
        "lead-1\n",
        "lead-" + "9" * 5000,
        "lead:1",
        "reference",
        "reference:",
        "reference:0",
        "reference-1",
        "title-1",
        "title-ref",
        "title-seed1",
        "lead-cut3",
        "lead-0w",
        "lead-w",
        "lead-100W",
        "lead-ref-3",
        "lead-seed7",
        "tldr",
        "tldr-linear-seed7",
        "tldr-linear-0",
        "extractor:mine",  # whose folder only the command line may name
        "random-seed",
        "random-seed01",
        "random-seed7-3",
        "oracle",
        "oracle-exact",
        "oracle-exact-rouge3",
        "oracle-exact-rouge1-first-set",
        "oracle-exact-rouge1-clipped",
        "oracle-exact-rouge1-seed1",
        "oracle-greedy-rouge1-seed1",
        "oracle-best-rouge1",
        "reference:1w",
        "reference:1-ref",
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(name):
    with pytest.raises(UnknownSummarizer) as caught:
        summarizer(name)
    assert str(caught.value) == (
        f"unknown summarizer {name!r}; known are lead, random, textrank, lexrank, tfidf, sumbasic, lsa, rake (-K: so "
        "many sentences, -Kw: words, -ref: words of the first reference; random-seedK; rake-cutK: phrases of at most K "
        "words), tldr-linear, tldr-minilm (the same lengths), title, reference:K, oracle-A-rouge1, oracle-A-rouge2 (A "
        "is greedy, vns@paper, vns_greedy@paper, vns@code, vns_greedy@code, genetic@paper, genetic_greedy@paper, vns, "
        "vns_greedy, genetic, genetic_greedy, exact; -set: each "
        "n-gram once, -first: the first reference only; then a length or seed, as above), where K is a number from 1; "
        "and checkpoints and language models, such as seq2seq:DIR, gguf:FILE, llm:MODEL (all: --list)"
    )


def test_key_phrases_are_not_counted_in_sentences():
    with pytest.raises(ValueError, match="rake writes phrases, not sentences: name a number of words, as in rake-100w"):
        summarizer("rake-3")


@pytest.mark.parametrize("name", SUMMARIZERS)
def test_every_name_gives_a_system_that_is_made_again_by_its_own_name(name):
    made = summarizer(name)
    assert made.name == ("rake-ref" if name == "rake" else name)
    assert (summarizer(made.name).name, summarizer(made.name).signature) == (made.name, made.signature)


@pytest.mark.parametrize("name", ["lead", "textrank", "lsa", "reference:1", "title", "oracle-exact-rouge1"])
def test_summaries_come_in_the_order_of_the_documents_and_leave_out_those_that_have_none(name):
    full = {key: Document(key, f"Text of {key}.", (f"Reference of {key}.",), f"Title of {key}") for key in "ab"}
    bare = Document("bare", "", (), None)
    summaries = summarizer(name).summarize([full["b"], bare, full["a"]])
    assert [(s.document_id, s.system, s.human) for s in summaries] == [("b", name, {}), ("a", name, {})]
    assert all(s.text.removesuffix(".").endswith(f"of {s.document_id}") for s in summaries)
    assert summarizer(name).summarize([]) == []


@pytest.mark.process
def test_importing_the_package_does_not_import_the_heavy_libraries():
    script = "import sys, relevance.summarizers; print(sorted({'simplemma', 'scipy', 'nltk'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    assert subprocess.check_output([sys.executable, "-c", script], cwd=root, text=True) == "[]\n"


def test_a_text_that_studies_are_measured_against_cannot_become_a_system(tmp_path) -> None:
    from relevance.data.database import connect
    from relevance.data.records import Document
    from relevance.data.store import DataStore
    from relevance.summarizers import DatasetInUse, add_systems

    store = DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}"))
    store.add_dataset(name="D", format="x", sha256="", records=[(Document("d", "A b. C d.", ("r", "s"), "t"), [])])
    for name in ("reference:1", "title"):
        with pytest.raises(DatasetInUse, match="would no longer judge the summaries in the studies of 'D'"):
            list(add_systems(store, "D", ["lead", name], studied=True))
    assert store.dataset("D").systems == ()
    assert [added.system for added in add_systems(store, "D", ["lead", "title"])] == ["title", "lead"]


@pytest.mark.smoke
@pytest.mark.process
def test_baselines_and_oracles_go_into_a_data_set(tmp_path):
    from relevance.data.database import connect
    from relevance.data.store import DataStore
    from relevance.summarizers import add_systems

    store = DataStore(connect(f"sqlite:///{tmp_path / 'x.db'}"))
    documents = [
        Document("full", "Red cars are fast. Blue trucks haul. Green boats float.", ("blue haul",)),
        Document("bare", "Red cars.", ()),
    ]
    store.add_dataset(name="D", format="x", sha256="", records=[(document, []) for document in documents])
    names = [*(f"{name}-ref" for name in BASELINES), "oracle-exact-rouge1", "oracle-greedy-rouge2-set-1"]
    added = list(add_systems(store, "D", names))
    # No bigram is shared, and a document without references gives neither a length nor anything to hold against.
    assert [(a.system, a.summaries, a.documents) for a in added] == [
        *((name, 1, 2) for name in names[:-1]),
        (names[-1], 0, 2),
    ]
    assert store.dataset("D").systems == tuple(sorted(names[:-1]))
    [(_, summaries), _] = store.records("D")
    assert {s.system: s.text for s in summaries}["oracle-exact-rouge1"] == "Blue trucks haul."
