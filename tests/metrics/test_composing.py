"""Canonically equal texts are equal: composed and decomposed letters, in scores, keywords and evidence."""

import sys
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any
from unicodedata import normalize

import pytest

from relevance.data.records import Example
from relevance.metrics import METRICS, metric
from relevance.metrics.composing import compose
from relevance.metrics.languages import LANGUAGES
from relevance.metrics.sentences import sentence_spans
from relevance.metrics.text import Reading, lemmas, rouge_spans, rouge_words

TEXTS = {
    "en": "The café in Orléans stays open, says Renée Müller. Its naïve owner left.",
    "de": "Die Brücke über den Fluß ist neu. Am 3. März fährt der erste Bus.",
    "fr": "L'école déjà fermée rouvre en février, dit le maître.",
    "es": "El niño comió una piña. Mañana vendrá otra vez.",
    "ar": "أكل الولد تفاحة. آخر يوم.",
    "ja": "がんばるでしょう。バスが入ります。",
    "ru": "Йод и ёлка. Мой чай.",
    "sv": "Sjön är djup. Båten åker i maj.",
}
KOREAN = normalize("NFC", "겨울에는 버스가 배를 대신한다.")


BETWEEN = ("", " ", "x", "e\u0301")


def apart(text: str) -> str:
    """Return a text with each accent, sign and vowel a character of its own."""
    return normalize("NFD", text)


def spans_in(evidence: Any) -> list[tuple[int, int]]:
    """Return all spans of the candidate that an evidence record names."""
    result: list[tuple[int, int]] = []
    for value in evidence if isinstance(evidence, tuple) else ():
        if isinstance(value, tuple) and len(value) == 2 and all(type(item) is int for item in value):
            result.append(value)  # type: ignore[arg-type]
        else:
            result += spans_in(value)
    return result


def test_every_letter_that_can_be_taken_apart_is_put_together_in_its_place() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if normalize("NFD", chr(code)) != chr(code)]
    assert len(letters) > 13_000
    random = Random(7)
    for start in range(0, len(letters), 50):
        part = letters[start : start + 50]
        text = "".join(f"{apart(letter)}{random.choice(BETWEEN)}" for letter in part)
        composed = compose(text)
        assert composed.text == normalize("NFC", text)
        for place in range(len(composed.text)):
            first, last = composed.span(place, place + 1)
            assert normalize("NFC", text[first:last]) == normalize("NFC", composed.text[place]) or (
                composed.text[place] in normalize("NFC", text[first:last])
            )
        assert composed.span(0, len(composed.text)) == (0, len(text))


def test_a_composed_text_keeps_its_places() -> None:
    composed = compose(KOREAN)
    assert composed.text is KOREAN
    assert [composed.span(place, place + 1) for place in range(3)] == [(0, 1), (1, 2), (2, 3)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_are_equal_and_their_places_are_those_of_the_original(language: str) -> None:
    for text in (*TEXTS.values(), KOREAN):
        other = apart(text)
        for tokenizer in {language, "unicode"} - {"en"}:
            assert rouge_words(text, Reading(tokenizer)) == rouge_words(other, Reading(tokenizer))
            slices = [normalize("NFC", other[slice(*span)]) for span in rouge_spans(other, Reading(tokenizer))]
            assert slices == [text[slice(*span)] for span in rouge_spans(text, Reading(tokenizer))]
        assert lemmas(text, language).words == lemmas(other, language).words
        cut = [normalize("NFC", other[slice(*span)]) for span in sentence_spans(other)]
        assert cut == [text[slice(*span)] for span in sentence_spans(text)]


def options_for(name: str, language: str) -> dict[str, str]:
    known = METRICS[name].option_names
    wanted = {"language": language, "tokenizer": "unicode"}
    return {option: value for option, value in wanted.items() if option in known}


@pytest.mark.parametrize("language", TEXTS)
@pytest.mark.parametrize("name", [name for name, kind in METRICS.items() if not kind.needs_model])
def test_a_lexical_metric_scores_both_forms_alike(name: str, language: str) -> None:
    text = TEXTS[language]
    example = Example("d", "s", text, (text, f"{text} 1"), text, text)
    made = metric(name, **options_for(name, language))
    (right,) = made.score([example])
    for changed in (
        replace(example, candidate=apart(text)),
        replace(example, references=tuple(map(apart, example.references)), title=apart(text), source=apart(text)),
    ):
        (score,) = made.score([changed])
        assert score.value == right.value
        assert score.parts == right.parts
        ours, theirs = changed.candidate, example.candidate
        if name == "rouge_k":
            places = [span for keyword in score.evidence.keywords for span in keyword.occurrences]
            shown = [normalize("NFC", ours[slice(*span)]) for span in places]
            assert shown == [
                theirs[slice(*span)] for keyword in right.evidence.keywords for span in keyword.occurrences
            ]


@pytest.mark.model
@pytest.mark.parametrize("name", [name for name, kind in METRICS.items() if kind.needs_model])
def test_a_model_scores_both_forms_alike(name: str) -> None:
    text = TEXTS["en"]
    example = Example("d", "s", text, (f"{text} Renée Müller saw Orléans again.",), None, text)
    made = metric(name)
    (right,) = made.score([example])
    assert right.value is not None
    (score,) = made.score([replace(example, candidate=apart(text))])
    assert score.value == pytest.approx(right.value, abs=2e-6)
    spans = set(spans_in(right.evidence))
    assert spans
    (all_apart,) = made.score(
        [
            replace(
                example,
                **{k: apart(getattr(example, k)) for k in ("candidate", "source")},
                references=tuple(map(apart, example.references)),
            )
        ]
    )
    assert all_apart.value == pytest.approx(right.value, abs=2e-6)


@pytest.mark.parametrize("file", ["32_ko", "32_de"])
def test_the_same_text_in_both_forms_has_a_score_of_one(found_files: Path, file: str) -> None:
    candidate, reference = ((found_files / f"{file}.{kind}").read_text().strip() for kind in ("hypo", "ref"))
    assert candidate != reference
    example = Example("d", "s", candidate, (reference,), None, "")
    for options in ({"tokenizer": "unicode"}, {"language": "de"}):
        (score,) = metric("rouge1", **options).score([example])
        assert score.value == 1


def test_the_usual_tokenizer_does_as_rouge_score() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    text = TEXTS["de"]
    scorer = RougeScorer(["rouge1"], use_stemmer=True)
    for candidate, reference in ((text, apart(text)), (apart(text), apart(text)), (apart(text), text)):
        (score,) = metric("rouge1").score([Example("d", "s", candidate, (reference,), None, "")])
        assert score.value == pytest.approx(scorer.score(reference, candidate)["rouge1"].fmeasure)
        spans = rouge_spans(candidate, Reading("ascii"))
        assert [candidate[slice(*span)].lower() for span in spans] == find_tokens_of_rouge(candidate)


def find_tokens_of_rouge(text: str) -> list[str]:
    from rouge_score.tokenize import tokenize

    return list(tokenize(text, None))
