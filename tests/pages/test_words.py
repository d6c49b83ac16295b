"""Plain words about scores: the numbers are those of the scores, what is quoted is so, the grammar is right."""

import re
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import pytest

from relevance.data.demo import FILE
from relevance.data.importers import read_documents
from relevance.data.records import Example, make_examples
from relevance.data.ties import TIE
from relevance.data.wording import join_items
from relevance.metrics import METRICS, lexical_metrics, make_metrics, metric
from relevance.metrics.explained import Explained, explain
from relevance.metrics.text import Reading, rouge_words
from relevance.reports.evidence.blocks import LONGEST_LABEL
from relevance.reports.evidence.phrases import (
    MOST,
    figures,
    join_first_items,
    overview,
    preferred_letter,
    verdict_sentence,
)
from relevance.reports.evidence.words import explain_scores, in_words

SINGULAR = re.compile(r"\b1 (?:keywords|unigrams|bigrams|words|questions|n-grams|references)\b")
PLURAL = re.compile(r"\b(?:0|[2-9]|\d\d+) (?:keyword|unigram|bigram|word|question|n-gram)\b")
QUOTED = re.compile("“([^”]*)”")


def told(name: str, both: Sequence[Example], **options: str) -> tuple[list[str], list[Explained]]:
    """What is said of summaries by a metric of these settings, with the scores."""
    made = metric(name, **options)  # type: ignore[arg-type]
    explains = [explain(made, item) for item in both]
    return in_words(made.signature, both, explains), explains


def example(candidate: str, *references: str, title: str | None = None) -> Example:
    return Example("d", candidate[:9], candidate, references, title, "")


def check(name: str, both: Sequence[Example], texts: list[str], scores: Sequence[Explained]) -> None:
    """What holds for whatever is said."""
    whole = " ".join(texts)
    assert texts, name
    assert not SINGULAR.search(whole), whole
    assert not PLURAL.search(whole), whole
    for line in texts:
        assert line.endswith("."), line
        begins_well = line[0].isupper() or line[0].isdigit() or line[0] == "“"
        assert begins_well or line.startswith(f"{METRICS[name].label} "), line  # chrF
        assert not re.search(r"  |\.\.|None|\bnan\b|\(\)| ,| ;", QUOTED.sub("“x”", line)), line
    values = [item.value for item in scores]
    present = [value for value in values if value is not None]
    if len(values) == len(present) == 2 and name != "length":
        first, second = values
        assert first is not None
        assert second is not None
        winner = "A" if first > second else "B"
        high, low = figures(sorted(present, reverse=True))
        if abs(first - second) <= TIE:
            assert texts[0] == f"{METRICS[name].label} is tied: A and B both score {high}."
        else:
            assert texts[0] == f"{METRICS[name].label} prefers {winner}: {high} against {low}."
            assert high != low
        assert float(high) == pytest.approx(max(present), abs=5.01e-4)
    for letter, item in zip("ABCD", scores, strict=False):
        if item.value is None:
            assert item.missing
            assert item.missing in whole
            assert letter in whole


def counts(name: str, both: Sequence[Example], texts: list[str], scores: Sequence[Explained]) -> None:
    """The counts that are said make the values."""
    whole = " ".join(texts)
    for letter, item in zip("ABCD", scores, strict=False):
        if item.value is None:
            continue
        if name == "rouge_k":
            hits, of = map(int, re.search(rf"{letter} has (\d+) of (\d+) keyword", whole).groups())  # type: ignore[union-attr]
            assert hits / of == item.value
        elif name == "apes":
            right, of = map(int, re.search(rf"(\d+) of (\d+) questions? from {letter}\b", whole).groups())  # type: ignore[union-attr]
            if item.evidence.value == "share":
                assert right / of == item.value
            else:
                total, of = re.search(rf"([\d.]+) of (\d+) for {letter}\b", whole).groups()  # type: ignore[union-attr]
                assert float(total) / int(of) == pytest.approx(item.value, abs=5.01e-4)
        elif name in ("rouge1", "rouge2", "rougeL"):
            place = re.search(rf"{letter} has (\d+)(?: in the same order)? \(among (\d+) of its own\)", whole)
            if place is None:  # a reference of one word has no bigram
                assert "to share" in whole
                continue
            matched, own = map(int, place.groups())
            of = re.findall(r"[Oo]f the (\d+|only) ", whole[: place.start()])[-1]
            size = 1 if of == "only" else int(of)
            assert 2 * matched / (own + size) == pytest.approx(item.value)  # F1 of matched / own and matched / size


def alone(name: str, both: Sequence[Example], texts: list[str]) -> int:
    """What only one of two is said to have stands in it, and not in the other; returns how much was looked at."""
    looked = 0
    for letter, mine, other in (("A", both[0], both[1]), ("B", both[1], both[0])):
        for clause in re.findall(rf"only {letter} has ([^;]*?)(?:; only|\.$)", "\n".join(texts), re.MULTILINE):
            for quoted in QUOTED.findall(clause):
                if len(quoted) >= LONGEST_LABEL:
                    continue
                words = f" {' '.join(rouge_words(quoted, Reading()))} "
                assert words in f" {' '.join(rouge_words(mine.candidate, Reading()))} ", (name, letter, quoted)
                assert words not in f" {' '.join(rouge_words(other.candidate, Reading()))} ", (
                    name,
                    letter,
                    quoted,
                )
                looked += 1
    return looked


@pytest.mark.model
def test_the_whole_demo_corpus_by_all_metrics() -> None:
    made = make_metrics(list(METRICS))
    made += [metric("apes", apes_value=value) for value in ("graded", "strict")]
    pairs = looked = 0
    for document, summaries in read_documents(FILE, "interchange"):
        texts = make_examples(document, list(summaries))
        for scorer in made:
            name = scorer.name
            explains = [explain(scorer, text) for text in texts]
            everything = in_words(scorer.signature, texts, explains)
            check(name, texts, everything, explains)
            counts(name, texts, everything, explains)
            for combination in combinations(range(len(texts)), 2):
                both, two = [texts[place] for place in combination], [explains[place] for place in combination]
                sentences = in_words(scorer.signature, both, two)
                check(name, both, sentences, two)
                counts(name, both, sentences, two)
                looked += alone(name, both, sentences)
                pairs += 1
            check(name, texts[:1], in_words(scorer.signature, texts[:1], explains[:1]), explains[:1])
    assert pairs == 24 * 6 * len(made)
    assert looked > 200


@pytest.mark.exhaustive
def test_pairs_of_summeval(shared_data: Path) -> None:
    made = {name: metric(name) for name in lexical_metrics()}
    looked = 0
    for number, (document, summaries) in enumerate(read_documents(shared_data / "summeval.jsonl", "interchange")):
        if number == 10:
            break
        texts = make_examples(document, list(summaries))
        for name, scorer in made.items():
            explains = [explain(scorer, text) for text in texts]
            for place in range(len(texts) - 1):
                both, two = texts[place : place + 2], explains[place : place + 2]
                sentences = in_words(scorer.signature, both, two)
                check(name, both, sentences, two)
                counts(name, both, sentences, two)
                looked += alone(name, both, sentences)
    assert looked > 100


@pytest.mark.parametrize("rule", ["mean", "first"])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "bertscore", "carouge"])
def test_other_rules_of_several_references(name: str, rule: str) -> None:
    document, summaries = next(iter(read_documents(FILE, "interchange")))
    both = make_examples(document, list(summaries))[:2]
    sentences, result = told(name, both, references=rule)
    check(name, both, sentences, result)
    if rule == "mean":
        assert re.search(r"on average|the mean", " ".join(sentences))
    else:
        assert "reference 1" in " ".join(sentences)
        assert "reference 2" not in " ".join(sentences)


@pytest.mark.parametrize("norm", ["reference", "paper"])
def test_other_norms_of_carouge(norm: str) -> None:
    document, summaries = next(iter(read_documents(FILE, "interchange")))
    both = make_examples(document, list(summaries))[:2]
    sentences, result = told("carouge", both, norm=norm)
    check("carouge", both, sentences, result)
    assert all(f"that is {item.value:.4f}" in " ".join(sentences) for item in result)


def test_table_1_in_words() -> None:
    """The example of the brief: one keyword that only B has, by invented texts."""
    references = ("A model of the Hawaiian script.",)
    both = [example(text, *references, title="Hawaiian text") for text in ("A model of the script.", "Hawaiian text")]
    sentences, _ = told("rouge_k", both)
    assert sentences == [
        "ROUGE-K prefers B: 1.000 against 0.000.",
        "A has 0 of 1 keyword and B has 1 of 1 keyword.",
        "A misses “Hawaiian”; B misses none.",
    ]
    sentences, _ = told("rouge1", both)
    # 5 of 6 unigrams beside 5: F1 = 10 / 11; 1 of 6 beside 2: 2 / 8
    assert sentences == [
        "ROUGE-1 prefers A: 0.909 against 0.250.",
        "Of the 6 unigrams of the reference, A has 5 (among 5 of its own) and B has 1 (among 2 of its own).",
        "Of the reference, only A has “A model of the” and “script”; only B has “Hawaiian”.",
    ]


def test_what_is_missing_is_said_with_its_reason() -> None:
    both = [example("...", "A storm."), example("A storm.", "A storm.")]
    sentences, _ = told("rouge1", both)
    assert sentences[:2] == [
        "ROUGE-1 gives B 1.000.",
        "ROUGE-1 has no score for A (the summary has no token (a-z0-9)).",
    ]
    sentences, _ = told("rouge_k", both)
    reason = "no keywords: there are not two texts among references and title to compare"
    assert len(sentences) == 1
    assert sentences[0].startswith(f"ROUGE-K has no score for A or B ({reason}")
    cut = [Explained(0.5, None, True, None), Explained(0.25, None, False, None)]
    assert in_words("bertscore|refs:max", both, cut) == [
        "BERTScore prefers A: 0.500 against 0.250.",
        "For A, a text was cut: it is longer than the model's limit.",
    ]


def test_a_reference_of_one_word() -> None:
    both = [example(text, "Storm") for text in ("A storm", "Rain")]
    sentences, result = told("rouge1", both)
    check("rouge1", both, sentences, result)
    assert "Of the only unigram of the reference, A has 1 (among 2 of its own) and B has 0" in sentences[1]
    sentences, result = told("rouge2", both)
    check("rouge2", both, sentences, result)
    assert sentences == ["ROUGE-2 is tied: A and B both score 0.000.", "The reference has no bigram to share."]


def test_nobody_has_what_both_have_in_another_place() -> None:
    """B has “rain” once, the reference twice and A twice: it is not only A's."""
    both = [example(text, "rain came, then rain fell") for text in ("rain came and rain stopped", "then rain")]
    sentences, _ = told("rouge1", both)
    assert sentences[-1] == "Of the reference, only A has “came”."  # B's “then” is a function word


@pytest.mark.parametrize(
    ("values", "choice", "sentence"),
    [
        ([0.5], "A", "M gives A 0.500."),
        ([0.5, 0.25], "A", "M prefers A: 0.500 against 0.250."),
        ([0.5, 0.50001], "B", "M prefers B: 0.50001 against 0.50000."),
        ([0.5, 0.5 + 1e-12], "tie", "M is tied: A and B both score 0.500."),
        ([0.5, None], "missing", "M gives A 0.500."),
        ([None, None], "missing", ""),
        ([0.1, 0.3, 0.2], "B", "M puts B (0.300) first, then C (0.200), then A (0.100)."),
        ([0.3, 0.1, 0.3, 0.1], "tie", "M puts A and C (0.300 each) first, then B and D (0.100 each)."),
        ([0.3, 0.3, 0.3], "tie", "M is tied: A, B and C all score 0.300."),
        ([0.3, None, 0.1], "A", "M prefers A: 0.300 against 0.100."),
        ([-0.25, 0.25], "B", "M prefers B: 0.250 against -0.250."),
    ],
)
def test_verdicts(values: list[float | None], choice: str, sentence: str) -> None:
    assert preferred_letter(values, "ABCD") == choice
    assert verdict_sentence("M", values, "ABCD") == sentence


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["one"], "A has 1 word."),
        (["one", "two"], "Length is tied: A and B have 1 word each."),
        (["one", "two three"], "Length prefers B, the longer one: 2 words against 1."),
        (["a b", "c", "d e f"], "Length, in words, puts C (3) first, then A (2), then B (1)."),
    ],
)
def test_length(texts: list[str], message: str) -> None:
    assert told("length", [example(text, "Reference.") for text in texts])[0] == [message]


@pytest.mark.parametrize(
    ("choice", "metrics", "message"),
    [
        ("B", {"X": "B", "Y": "A"}, "People preferred B. X agrees; Y prefers A."),
        ("B", {"X": "A", "Y": "A"}, "People preferred B. No metric agrees; X and Y prefer A."),
        ("A", {"X": "A", "Y": "A", "Z": "tie"}, "People preferred A. X and Y agree; Z is tied."),
        ("A", {"X": "missing", "Y": "A"}, "People preferred A. Y agrees; X has no score."),
        ("tie", {"X": "tie", "Y": "B"}, "People had no preference. Y prefers B; X is tied."),
        ("split", {"X": "A"}, "People were split. X prefers A."),
        ("A", {}, "People preferred A."),
    ],
)
def test_overviews(choice: str, metrics: dict[str, str], message: str) -> None:
    assert " ".join(overview(("People", choice), metrics)) == message


def test_lists() -> None:
    assert [join_items([]), join_items(["A"]), join_items(["A", "B"]), join_items("ABC")] == [
        "",
        "A",
        "A and B",
        "A, B and C",
    ]
    assert join_first_items("AAB", "or") == "A or B"
    assert join_first_items("ABCDEF", "or") == f"A, B, C, D and {6 - MOST} more"


def test_texts_and_scores_that_do_not_fit() -> None:
    explained = Explained(0.5, None, False, None)
    with pytest.raises(ValueError, match="1 summaries, 2 scores"):
        in_words("rouge1", [example("a", "b")], [explained, explained])
    with pytest.raises(ValueError, match="1 letters"):
        in_words("rouge1", [example("a", "b")] * 2, [explained, explained], "A")
    assert explain_scores("rouge1", [example("a", "b")], [explained]) == []
