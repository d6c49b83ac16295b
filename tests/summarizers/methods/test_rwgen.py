"""RwGen against a decoder written out here: softmax((1 - l) s + l T) at each step, greedily and with beams."""

from pathlib import Path
from typing import Any

import pytest

from relevance.summarizers.methods.base import Decoding
from relevance.summarizers.methods.rwgen import RwGen
from tests.summarizers.checkpoints import DOCUMENTS

pytestmark = pytest.mark.model

STEPS = 8
LENGTH_PENALTY = 0.0  # sums of log-probabilities, not divided by length


def next_probabilities(model: Any, batch: Any, share: float, written: list[int]) -> Any:
    """log softmax((1 - l) s + l T) after some tokens, without any cache."""
    import torch

    with torch.inference_mode():
        scores = model(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            decoder_input_ids=torch.tensor([written]),
        ).logits[0, -1]
    return torch.log_softmax((1 - share) * scores + share * batch["vocabulary"][0], -1)


def beam_search(model: Any, batch: Any, share: float, beams: int) -> tuple[list[int], float]:
    """The likeliest text that so many beams find, and its log-probability; the tokens are at most `STEPS`."""
    first, end = model.config.decoder_start_token_id, model.config.eos_token_id
    running: list[tuple[float, list[int]]] = [(0.0, [first])]
    done: list[tuple[float, list[int]]] = []
    for step in range(STEPS):
        longer = []
        for total, written in running:
            result = next_probabilities(model, batch, share, written)
            if step == STEPS - 1 and model.generation_config.forced_eos_token_id is not None:
                result = result.masked_fill(result == result, -float("inf"))
                result[end] = 0.0
            best = result.topk(2 * beams)
            longer += [
                (total + s, [*written, t]) for s, t in zip(best.values.tolist(), best.indices.tolist(), strict=True)
            ]
        longer.sort(key=lambda item: -item[0])
        done += [item for item in longer[:beams] if item[1][-1] == end]
        running = [item for item in longer if item[1][-1] != end][:beams]
    done += running
    total, written = max(done, key=lambda item: item[0])
    return written, total


@pytest.mark.parametrize("beams", [1, 3], ids=["greedy", "beams"])
@pytest.mark.parametrize("share", [0.0, 0.5, 0.9])
def test_decoding_by_hand(beams: int, share: float, bart: Path) -> None:
    method = RwGen(share=share)
    network = method.start(bart, DOCUMENTS)
    model = network.model.eval()
    batch = method.batch(network, DOCUMENTS[:1], labels=False)
    by_hand, total = beam_search(model, batch, share, beams)
    for cached in (True, False):
        written = model.generate(
            input_ids=batch["input_ids"],
            attention_mask=batch["attention_mask"],
            num_beams=beams,
            max_new_tokens=STEPS,
            length_penalty=LENGTH_PENALTY,
            early_stopping="never",
            do_sample=False,
            use_cache=cached,
            return_dict_in_generate=True,
            output_scores=True,
            **method.decoding(batch),
        )
        assert written.sequences[0].tolist()[: len(by_hand)] == by_hand, cached
        if beams > 1:
            assert written.sequences_scores[0].item() == pytest.approx(total, abs=1e-4)


def test_documents_in_a_batch_have_their_own_words(bart: Path) -> None:
    method = RwGen(share=0.9)
    network = method.start(bart, DOCUMENTS)
    network.model.eval()
    decoding = Decoding(num_beams=2, max_new_tokens=6)
    together = method.write(network, DOCUMENTS[:3], decoding)
    assert together == [method.write(network, [document], decoding)[0] for document in DOCUMENTS[:3]]
    assert len(set(together)) == 3


def test_training_needs_no_weights_of_words(bart: Path) -> None:
    method = RwGen()
    network = method.start(bart, DOCUMENTS)
    assert set(method.batch(network, DOCUMENTS, labels=True)) == {"input_ids", "attention_mask", "labels"}
