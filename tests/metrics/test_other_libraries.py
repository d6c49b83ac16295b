"""ROUGE by the presets of other libraries, held against the libraries."""

from pathlib import Path

import pytest
from rouge import Rouge as PltrdysRouge
from rouge_score.rouge_scorer import RougeScorer

from relevance.data.importers import read_documents
from relevance.data.records import Example
from relevance.metrics import make_metrics, metric
from relevance.metrics.from_signature import metric_of
from relevance.metrics.rouge import PRESETS

FIGURES = {"f": "f1", "p": "precision", "r": "recall"}


def example(candidate: str, reference: str) -> Example:
    return Example("d", "s", candidate, (reference,), None, "")


def texts(shared_data: Path, count: int) -> list[tuple[str, str]]:
    """Summaries of SummEval with the first reference of their document."""
    records = read_documents(shared_data / "summeval.jsonl", "interchange")
    pairs = [(summary.text, document.references[0]) for document, summaries in records for summary in summaries]
    return pairs[:: len(pairs) // count]


# --- rouge-score without its stemmer ------------------------------------------------------------------------------

# Texts like those of the library's own tests.
OWN_TESTS = [
    ("testing one two", "testing"),
    ("", "testing one two"),
    ("testing one two", "testing one two"),
    ("the quick brown fox jumps over the lazy dog", "the quick brown dogs jumping on the logs"),
    ("w1 w2 w3 w4 w5", "w1 w3 w8 w9 w5"),
    ("w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5"),
]


@pytest.mark.parametrize("case", ["lower", "keep"])
@pytest.mark.parametrize("name", ["rouge1", "rouge2", "rougeL", "rougeLsum"])
def test_without_a_stemmer_it_is_rouge_score_as_it_comes(shared_data: Path, name: str, case: str) -> None:
    """With capitals kept, too: the library makes texts lower-case, and so is held against texts without capitals."""
    made = metric(name, **PRESETS["rouge-score"], case=case)
    scorer = RougeScorer([name])
    for given in [*OWN_TESTS, *texts(shared_data, 60)]:
        candidate, reference = (text.lower() for text in given) if case == "keep" else given
        (score,) = made.score([example(candidate, reference)])
        of = scorer.score(reference, candidate)[name]
        expected = {"f1": of.fmeasure, "precision": of.precision, "recall": of.recall}
        if candidate and reference:
            assert score.value is not None
            assert {"f1": score.value, **score.parts} == pytest.approx(expected, abs=1e-9)


def test_stems_and_capitals_make_words_equal_or_not() -> None:
    e = example("Dogs jumped", "dog jumped")
    values = {
        (stemmer, case): metric("rouge1", stemmer=stemmer, case=case).score([e])[0].value
        for stemmer in ("default", "none")
        for case in ("lower", "keep")
    }
    assert values == {
        ("default", "lower"): 1.0,
        ("default", "keep"): 0.5,  # Dog and dog
        ("none", "lower"): 0.5,
        ("none", "keep"): 0.5,
    }


def test_without_a_stemmer_in_another_language() -> None:
    e = example("Die Brücken", "Die Brücke")
    assert metric("rouge1", language="de").score([e])[0].value == 1.0
    made = metric("rouge1", language="de", stemmer="none", case="keep")
    assert made.score([e])[0].value == 0.5
    assert made.signature == "rouge1|refs:max|case:keep|tok:unicode|stem:none|lang:de|value:f1|version:0.2.0"
    with pytest.raises(ValueError, match="for case=keep take stemmer=none"):
        metric("rouge1", language="de", case="keep")


# --- pltrdy's rouge -----------------------------------------------------------------------------------------------

# Like the texts of the library's tests: lower-case news with marks apart, digits masked, contractions apart.
NEWS = [
    (
        "the #### transcript is a written version of each day 's news program use it to help students with reading",
        "this page has the show transcript use the transcript to help students with reading and vocabulary at the "
        "bottom of the page , comment for a chance to be mentioned on news . you must be a teacher or a student",
    ),
    ("The cat sat. The dog  ran. A cat ran.", "A cat sat on it. The Dog ran.\nthe cat ran."),
    ("no word in common", "Nothing shared whatsoever"),
    ("one", "one one one. one"),
]


def test_the_preset_is_the_library(shared_data: Path) -> None:
    library = PltrdysRouge()
    names = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeLsum"}
    made = {metric.name: metric for metric in make_metrics(tuple(names.values()), **PRESETS["rouge"])}
    compared = 0
    for candidate, reference in [*NEWS, *texts(shared_data, 120)]:
        # A piece of white space between two full stops is an empty word to the library.
        if any(piece and not piece.strip() for text in (candidate, reference) for piece in text.split(".")):
            continue
        (expected,) = library.get_scores(candidate, reference)
        for theirs, ours in names.items():
            (score,) = made[ours].score([example(candidate, reference)])
            assert score.value is not None
            figures = {"f1": score.value, **score.parts}
            # It adds 1e-8 to the divisor of F1.
            assert figures == pytest.approx({FIGURES[key]: expected[theirs][key] for key in FIGURES}, abs=1e-7)
            compared += 1
    assert compared > 200


def test_matches_of_the_preset_count_its_value() -> None:
    candidate, reference = NEWS[1]
    made = metric("rougeLsum", **PRESETS["rouge"])
    (score,) = made.score([example(candidate, reference)])
    ((compared,), (matches,)) = score.evidence.compared, score.evidence.matches
    words = [(candidate[slice(*match.candidate)], reference[slice(*match.reference)]) for match in matches]
    assert all(ours == theirs for ours, theirs in words)
    assert compared.matched == len(words) == len(set(words))
    again = metric_of(made.signature)
    assert again is not None
    assert again.signature == made.signature
