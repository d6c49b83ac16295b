"""The masked reader, on tiny models of the real architectures: scores and windows."""

import math
from pathlib import Path

import pytest
import torch
import transformers

from relevance.metrics.apes.readers import reader
from relevance.metrics.apes.readers.masked import MaskedReader
from tests.metrics.apes.tiny import LIMIT, SUMMARY, save, task, wordpiece

pytestmark = pytest.mark.model

HEAD = "ForMaskedLM"


@pytest.mark.smoke
def test_a_score_is_the_mean_log_probability_of_the_pieces(model: Path) -> None:
    """One candidate at a time, the masks put where the tokenizer says that the name's characters went."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForMaskedLM.from_pretrained(model)
    question = task("Yesterday @placeholder praised Bob Roe.", SUMMARY, "Ann Lee", "Bob", "her")
    expected = []
    for candidate in question.candidates:
        filled = question.question.replace("@placeholder", candidate.name)
        encoded = tokenizer(SUMMARY, filled, return_tensors="pt")
        ids = encoded["input_ids"]
        at = sorted({encoded.char_to_token(0, 10 + i, 1) for i, letter in enumerate(candidate.name) if letter != " "})
        pieces = ids[0, at].clone()
        ids[0, at] = tokenizer.mask_token_id
        segments = {"token_type_ids": encoded["token_type_ids"]} if model.name == "bert" else {}
        with torch.no_grad():
            probabilities = network(ids, **segments).logits[0, at].softmax(-1)
        expected.append(sum(math.log(probabilities[i, piece]) for i, piece in enumerate(pieces)) / len(at))
    (answer,) = reader(f"masked:{model}").read([question])
    assert answer.scores == pytest.approx(expected, abs=1e-4)
    assert answer.chosen == expected.index(max(expected))
    assert len(set(expected)) == 3


def test_the_model_s_choice_is_the_answer(tmp_path: Path) -> None:
    """A model that says `bob` wherever it is asked, with odds of e⁵ to 1 to each other piece."""

    def only_bob(network: transformers.BertForMaskedLM) -> None:
        for weight in network.parameters():
            weight.zero_()
        network.cls.predictions.bias[wordpiece().convert_tokens_to_ids("bob")] = 5

    loaded = MaskedReader(str(save(tmp_path / "bob", "bert", HEAD, only_bob)))
    total = math.log(math.exp(5) + len(wordpiece()) - 1)
    answer = loaded.read([task()])[0]
    assert answer[:3] == (1, pytest.approx((-total, 5 - total, -total), abs=1e-4), (16, 19))
    # Two pieces are no less likely than one, as the mean counts; of equal ones, the first.
    assert loaded.read([task("@placeholder", SUMMARY, "New York", "her")])[0].chosen == 0
    assert loaded.read([task("@placeholder", SUMMARY, "her", "New York")])[0].chosen == 0


def test_the_best_stretch_of_a_long_summary_counts(bert: Path) -> None:
    """Each window that mentions the candidate is as a summary of its own; others are not tried."""
    filler = "Bob thanked her. " * 40
    question = task("@placeholder won.", f"Ann Lee won. {filler}Then Ann Lee left.", "Ann Lee")
    loaded = MaskedReader(str(bert))
    rows = loaded.rows(question, question.candidates[0], 0, 0)
    assert [row.mentions for row in rows] == [[0], [1]]
    assert all(len(row.inputs["input_ids"]) <= LIMIT for row in rows)
    windows = loaded.pretrained.windows(question.summary, "Ann Lee won.", first=False)
    shown = [windows[0].summary, windows[-1].summary]
    texts = [question.summary[min(tokens.values())[0] : max(tokens.values())[1]] for tokens in shown]
    alone = [answer.scores[0] for answer in loaded.read([task("@placeholder won.", t, "Ann Lee") for t in texts])]
    (answer,) = loaded.read([question])
    assert answer.scores[0] == pytest.approx(max(alone), abs=1e-4)
    assert answer.span == question.candidates[0].mentions[alone.index(max(alone))]


def test_a_long_question_is_cut_around_its_blank(bert: Path) -> None:
    loaded = MaskedReader(str(bert))
    mask = wordpiece().mask_token_id
    for before, after in [(300, 0), (0, 300), (150, 150)]:
        question = task("her " * before + "@placeholder" + " her" * after)
        for candidate, pieces in zip(question.candidates, (2, 1, 2), strict=True):
            (row,) = loaded.rows(question, candidate, 0, 0)
            assert row.inputs["input_ids"].count(mask) == len(row.pieces) == pieces
            assert len(row.inputs["input_ids"]) <= LIMIT
        assert max(loaded.read([question])[0].scores) < 0
