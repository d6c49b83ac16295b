"""One example explained in a notebook: the evidence of the metrics, with nothing of the texts taken for markup."""

import re

import pandas as pd
import pytest

import relevance
from relevance.frames import read_examples
from relevance.metrics import metric
from relevance.metrics.explained import explain
from relevance.reports.evidence.words import in_words

MARKUP = "<script>alert(1)</script> The cat sat."


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "document": ["a", "a", "a", "b"],
            "system": ["one", "<b>two", "three", "one"],
            "summary": [MARKUP, "A dog ran away.", "", "Rain."],
            "references": [["The cat sat down on the mat."]] * 3 + ["Rain fell."],
            "title": ["A cat on a mat"] * 3 + [None],
        }
    )


def test_the_sentences_and_values_are_those_of_the_evidence() -> None:
    result = relevance.explain(frame(), "a", ["one", "<b>two"], ["rouge1", "rouge_k"])
    examples = read_examples(frame())[:2]
    for name in ("rouge1", "rouge_k"):
        made = metric(name)
        alone = [explain(made, example) for example in examples]
        assert [item.value for item in result.explained[made.signature]] == [item.value for item in alone]
        assert result.sentences()[made.signature] == in_words(made.signature, examples, alone)
    assert result.scores["ROUGE-1"].tolist() == [item.value for item in result.explained[metric("rouge1").signature]]
    assert str(result).startswith("Document a (A: one, B: <b>two)\nROUGE-1: ")


def test_a_notebook_shows_the_texts_escaped_and_whole() -> None:
    shown = relevance.explain(frame(), "a", metrics=["rouge1", "rouge_k", "length"])._repr_html_()
    assert "<script>" not in shown
    assert "<b>two" not in shown
    assert "http" not in shown
    assert 'class="k-keyword' in shown or "k-keyword" in shown
    texts = re.findall(r'<div class="text"[^>]*>(.*?)</div>', shown, re.DOTALL)
    visible = [re.sub(r"<[^>]*>", "", text).replace("&lt;", "<").replace("&gt;", ">") for text in texts]
    assert MARKUP in visible


@pytest.mark.parametrize(
    ("document", "systems", "refusal"),
    [
        ("c", None, "the frame has no document 'c'"),
        ("a", ["four"], "document 'a' has no summary by four; it has one, <b>two, three"),
        ("a", [], "one to 4 summaries are explained together, not 0"),
    ],
)
def test_what_is_not_there_is_refused(document: str, systems: list[str] | None, refusal: str) -> None:
    with pytest.raises(relevance.BadFrame, match=re.escape(refusal)):
        relevance.explain(frame(), document, systems)
