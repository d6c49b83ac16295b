"""The extractive reader, on tiny models of the real architectures: scores and windows."""

from pathlib import Path

import pytest
import torch
import transformers

from relevance.metrics.apes.readers import reader
from relevance.metrics.apes.readers.extractive import ExtractiveReader
from relevance.metrics.apes.readers.pretrained import UNSEEN, Pretrained, locate_mention
from tests.metrics.apes.tiny import LIMIT, SUMMARY, save, task

pytestmark = pytest.mark.model

HEAD = "ForQuestionAnswering"


@pytest.mark.smoke
def test_a_score_is_the_best_sum_of_two_logits(model: Path) -> None:
    """One task at a time, its summary whole, with the tokens' places as the tokenizer itself tells them."""
    tokenizer = transformers.AutoTokenizer.from_pretrained(model)
    network = transformers.AutoModelForQuestionAnswering.from_pretrained(model)
    question = task("@placeholder praised Bob Roe .")
    encoded = tokenizer("what praised Bob Roe?", SUMMARY, return_tensors="pt")
    segments = {"token_type_ids": encoded["token_type_ids"]} if model.name == "bert" else {}
    with torch.no_grad():
        output = network(encoded["input_ids"], **segments)
    expected, spans = [], []
    for candidate in question.candidates:
        sums = [
            output.start_logits[0, encoded.char_to_token(0, start, 1)]
            + output.end_logits[0, encoded.char_to_token(0, end - 1, 1)]
            for start, end in candidate.mentions
        ]
        expected.append(float(max(sums)))
        spans.append(candidate.mentions[sums.index(max(sums))])
    (answer,) = reader(f"extractive:{model}").read([question])
    assert answer.scores == pytest.approx(expected, abs=1e-4)
    assert answer.chosen == expected.index(max(expected))
    assert answer.span == spans[answer.chosen]
    assert len(set(expected)) == 3


def test_the_model_s_choice_is_the_answer(tmp_path: Path) -> None:
    """A model without layers, whose logits are 0 but for the token `york`."""

    def only_york(network: transformers.BertForQuestionAnswering) -> None:
        from tests.metrics.apes.tiny import wordpiece

        for name, weight in network.named_parameters():
            if "LayerNorm" not in name:
                weight.zero_()
        wave = torch.tensor([1.0, -1.0] * 16)
        network.bert.embeddings.word_embeddings.weight[wordpiece().convert_tokens_to_ids("york")] = wave
        network.qa_outputs.weight[:] = wave

    loaded = ExtractiveReader(str(save(tmp_path / "york", "bert", HEAD, only_york, num_hidden_layers=0)))
    #             32 = the sum of wave², LayerNorm leaving it as it is; end only, as the start is `new`
    answer = loaded.read([task()])[0]
    assert answer[:3] == (2, pytest.approx((0, 0, 32), abs=1e-3), (27, 35))
    # Nothing speaks for either: the first of equal ones, at its first mention.
    assert loaded.read([task("@placeholder", SUMMARY, "Bob", "Ann Lee")])[0][:3] == (0, (0, 0), (16, 19))


def test_windows_show_all_of_a_long_summary_and_each_mention_whole(model: Path) -> None:
    pretrained = Pretrained(str(model), "AutoModelForQuestionAnswering")
    assert pretrained.limit == LIMIT
    long = task("@placeholder praised her.", " ".join(f"{SUMMARY} Word {number}." for number in range(20)))
    windows = pretrained.windows(long.summary, "who praised her?", first=True)
    assert len(windows) > 5
    assert all(len(window.inputs["input_ids"]) <= LIMIT for window in windows)
    seen = {index for window in windows for span in window.summary.values() for index in range(*span)}
    assert {long.summary[index] for index in set(range(len(long.summary))) - seen} == {" "}
    for candidate in long.candidates:
        for start, end in candidate.mentions:
            for window, first, last in locate_mention(windows, (start, end)):
                tokens = windows[window].summary
                assert (tokens[first][0], tokens[last][1]) == (start, end)


def test_the_end_of_a_long_summary_is_read(bert: Path) -> None:
    """A mention counts as it does in a summary that is just the last window."""
    question = task("@placeholder won.", "Bob thanked her. " * 40 + "Then Ann Lee won.", "Ann Lee")
    loaded = ExtractiveReader(str(bert))
    windows = loaded.windows(question)
    assert [place.window for place in locate_mention(windows, question.candidates[0].mentions[0])] == [len(windows) - 1]
    start = min(windows[-1].summary.values())[0]
    shown = task("@placeholder won.", question.summary[start:], "Ann Lee")
    (answer,), (expected,) = loaded.read([question]), loaded.read([shown])
    assert answer.scores == pytest.approx(expected.scores, abs=1e-4)
    assert answer.span == question.candidates[0].mentions[0]


def test_a_long_question_is_cut_around_its_blank(bert: Path) -> None:
    loaded = ExtractiveReader(str(bert))
    for before, after in [(300, 0), (0, 300), (150, 150)]:
        question = task("her " * before + "@placeholder" + " her" * after)
        window = loaded.windows(question)[0]
        text = loaded.pretrained.tokenizer.decode(window.inputs["input_ids"])
        assert "what" in text.replace(" ##", "")
        assert len(window.question) == LIMIT // 2 - 12 + 4 + 1  # spelled, the blank is 12 pieces, "what" 4, and "?"
        assert loaded.read([question])[0].scores > (UNSEEN,) * 3
