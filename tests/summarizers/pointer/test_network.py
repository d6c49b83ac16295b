"""The LSTMs' network, losses and search, against computations by hand."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
import torch

from relevance.summarizers.methods.base import Batch, Decoding
from relevance.summarizers.pointer.losses import REDUCTIONS, EntityWeight, entity_loss, loss, target_probability
from relevance.summarizers.pointer.network import distribution, generation, network_class
from relevance.summarizers.pointer.search import (
    Terms,
    coverage_penalty,
    entity_penalty,
    length_penalty,
    repeating,
    write,
)
from relevance.summarizers.pointer.words import START, STOP, Vocabulary

pytestmark = pytest.mark.model

VOCABULARY = Vocabulary(["a", "b", "c"])
SOURCE = VOCABULARY.read_source("a zebra b yak a", 10)


def network(*, copies: bool = True, entities: bool = True, seed: int = 0) -> Any:
    torch.manual_seed(seed)
    made = network_class()(len(VOCABULARY), embedding=6, width=8, copies=copies, entities=entities)
    for value in made.parameters():
        torch.nn.init.normal_(value, std=0.7)
    return made


def batch() -> Batch:
    return {
        "ids": torch.tensor([SOURCE.ids, (4, 5, 0, 0, 0)]),
        "extended": torch.tensor([SOURCE.extended, (4, 5, 0, 0, 0)]),
        "lengths": torch.tensor([5, 2]),
        "targets": torch.tensor([[7, 5, STOP], [4, STOP, 0]]),
        "asked": torch.tensor([[0.0, 1, 0, 0, 0], [1, 0, 0, 0, 0]]),
    }


def test_likelihood_of_three_words_by_hand() -> None:
    """One is only written, one is written and copied twice, one is only copied: the vocabulary lacks it."""
    log = torch.tensor([[[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]]]).log()
    p_gen = torch.tensor([[0.9, 0.5, 0.25]])
    attention = torch.tensor([[[0.2, 0.3, 0.5], [0.2, 0.3, 0.5], [0.1, 0.7, 0.2]]])
    extended = torch.tensor([[1, 3, 1]])
    probability = target_probability(log, p_gen, attention, extended, torch.tensor([[0, 1, 3]])).exp()
    # .9 * .5;  .5 * .6 + .5 * (.2 + .5);  .75 * .7
    assert probability[0].tolist() == pytest.approx([0.45, 0.65, 0.525])
    plain = target_probability(log, None, attention, extended, torch.tensor([[0, 2, 3]])).exp()
    assert plain[0].tolist() == pytest.approx([0.5, 0.3, 0.4])  # what it cannot copy is unknown, number 1


def test_entity_loss_of_four_words_by_hand() -> None:
    chances = torch.tensor([[0.8, 0.3, 0.5], [0.1, 0.4, 0.5]])
    there = torch.tensor([[True, True, False], [True, True, False]])  # the third of each is not there
    labels = torch.tensor([[1.0, 0, 1], [0, 1, 1]])
    total = -(math.log(0.8) + math.log(0.7) + math.log(0.9) + math.log(0.4))
    assert entity_loss(chances.logit(), labels, there, "mean").item() == pytest.approx(total / 4)
    assert entity_loss(chances.logit(), labels, there, "sum").item() == pytest.approx(total / 2)  # of two documents


@pytest.mark.parametrize("reduction", REDUCTIONS)
def test_the_losses_are_weighted_by_delta(reduction: str) -> None:
    made = network()
    likelihood, arguments = loss(made, batch(), None).item(), loss(made, batch(), EntityWeight(1.0, reduction)).item()
    both = loss(made, batch(), EntityWeight(0.25, reduction)).item()
    assert both == pytest.approx(0.25 * arguments + 0.75 * likelihood)
    memory, _ = made.read(batch()["ids"], batch()["lengths"])
    assert arguments == pytest.approx(entity_loss(memory.entities, batch()["asked"], memory.there, reduction).item())


def test_delta_0_is_plain_training_exactly() -> None:
    """Entity attention is drawn last: all other weights are the same, and so is what they learn."""
    learned = []
    for entities, weight in ((False, None), (True, EntityWeight(0.0))):
        torch.manual_seed(4)
        made = network_class()(len(VOCABULARY), embedding=6, width=8, copies=True, entities=entities)
        optimizer = torch.optim.Adagrad(made.parameters(), lr=0.15, initial_accumulator_value=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            loss(made, batch(), weight).backward()
            optimizer.step()
        learned.append(made.state_dict())
    assert all(torch.equal(value, learned[1][name]) for name, value in learned[0].items())


def test_words_sum_to_one_and_those_of_the_source_alone_can_be_written() -> None:
    made = network()
    memory, state = made.read(torch.tensor([SOURCE.ids]), torch.tensor([5]))
    step = made.step(torch.tensor([START]), state, memory)
    chances = distribution(made, step, torch.tensor([SOURCE.extended]), len(SOURCE.extra))[0]
    assert chances.shape == (len(VOCABULARY) + 2,)
    assert chances.sum().item() == pytest.approx(1)
    assert (chances[-2:] > 0).all()
    p_gen = generation(made, step.state.hidden, step.state.context, step.given)
    assert chances[-2].item() == pytest.approx(((1 - p_gen) * step.attention[0, 1]).item())  # zebra


def test_training_and_writing_mean_the_same_probabilities() -> None:
    made, given = network(), batch()
    total = 0.0
    for row, (extra, target) in enumerate(((2, (7, 5, STOP)), (0, (4, STOP)))):
        length = int(given["lengths"][row])
        memory, state = made.read(given["ids"][row : row + 1, :length], given["lengths"][row : row + 1])
        words = torch.tensor([START])
        for word in target:
            step = made.step(words, state, memory)
            chances = distribution(made, step, given["extended"][row : row + 1, :length], extra)
            total += chances[0, word].log().item()
            state, words = step.state, torch.tensor([word])
    assert loss(made, given, None).item() == pytest.approx(-total / 5)  # five words in all


def test_terms_of_the_beam_by_hand() -> None:
    assert length_penalty(1, 0.9) == pytest.approx(1)
    assert length_penalty(7, 0.9) == pytest.approx(2**0.9)  # (5 + 7) / 6
    covered = torch.tensor([[1.5, 0.2, 0.3], [0.5, 1.0, 0.5]])
    entities = torch.tensor([0.9, 0.6, 0.1])
    assert coverage_penalty(covered, 0.5).tolist() == pytest.approx([0.25, 0])  # .5 * .5
    assert entity_penalty(covered, entities, 0.5).tolist() == pytest.approx([0.2, 0.2])  # .5 * .4, of b and of a


def decoding(**settings: Any) -> Decoding:
    return Decoding(**{"num_beams": 5, "length_penalty": 0.9, "no_repeat_ngram_size": 0, **settings})


def parts_by_hand(made: Any, words: tuple[int, ...], entities: Sequence[float] | None = None) -> tuple[float, ...]:
    """Compute ln P, cp with beta .5, and ep with gamma 1."""
    memory, state = made.read(torch.tensor([SOURCE.ids]), torch.tensor([5]))
    log, covered, last = 0.0, [0.0] * 5, START
    for word in words:
        step = made.step(torch.tensor([last]), state, memory)
        chances = distribution(made, step, torch.tensor([SOURCE.extended]), 2)[0]
        log, state, last = log + chances[word].log().item(), step.state, word
        covered = [a + b for a, b in zip(covered, step.attention[0].tolist(), strict=True)]
    values = memory.entities[0].sigmoid().tolist() if entities is None else entities
    return (
        log,
        0.5 * sum(max(c - 1, 0) for c in covered),
        sum(max(a - c, 0) for a, c in zip(values, covered, strict=True)),
    )


def score_by_hand(
    made: Any, words: tuple[int, ...], entities: Sequence[float] | None = None, gamma: float = 0.5
) -> float:
    """Compute s."""
    log, cp, ep = parts_by_hand(made, words, entities)
    return log / ((5 + len(words)) / 6) ** 0.9 - cp - gamma * ep


@pytest.mark.parametrize("seed", range(4))
def test_a_wide_beam_finds_the_best_of_all_texts(seed: int) -> None:
    """Every text of two words, of five that can be written, is scored by hand."""
    made = network(seed=seed)
    result = write(made, SOURCE, decoding(num_beams=100, min_new_tokens=2, max_new_tokens=3), Terms(0.5, 0.5))
    texts = [(first, second, STOP) for first in range(4, 9) for second in range(4, 9)]
    scores = {text: score_by_hand(made, text) for text in texts}
    assert result.numbers == max(scores, key=lambda text: scores[text])[:-1]
    assert result.score == pytest.approx(max(scores.values()), abs=1e-5)
    assert not result.cut


def test_length_and_entities_count_for_finished_texts_only() -> None:
    """The two texts of a beam are those with the highest ln P - cp; by s they would be others in some networks."""
    differing = 0

    def score(made: Any, words: tuple[int, ...]) -> float:
        return score_by_hand(made, words, gamma=100.0)

    for seed in range(4):
        made = network(seed=seed)
        made.output.bias.data[STOP] = -1e9  # never ended
        result = write(made, SOURCE, decoding(num_beams=2, max_new_tokens=4), Terms(0.5, 100.0))
        best = search_by_hand(made, at_step, score)
        assert result.numbers == best
        assert result.score == pytest.approx(score(made, best), abs=1e-3)
        differing += best != search_by_hand(made, score, score)
    assert differing


Rank = Callable[[Any, tuple[int, ...]], float]


def search_by_hand(made: Any, rank: Rank, score: Rank) -> tuple[int, ...]:
    """Keep the two best texts at each of four steps; return the one with the highest score."""
    texts: list[tuple[int, ...]] = [()]
    for _ in range(4):
        longer = [(*text, word) for text in texts for word in range(4, 9)]
        texts = sorted(longer, key=lambda text: -rank(made, text))[:2]
    return max(texts, key=lambda text: score(made, text))


def at_step(made: Any, words: tuple[int, ...]) -> float:
    """Compute what unfinished texts are compared by."""
    log, cp, _ = parts_by_hand(made, words)
    return log - cp


def test_given_entities_take_the_place_of_the_network_s() -> None:
    """Of all texts of two words the one is written that is best by the positions given."""
    made, gold = network(seed=1), [0.0, 1, 0, 1, 0]
    wide = decoding(num_beams=100, min_new_tokens=2, max_new_tokens=3)
    result = write(made, SOURCE, wide, Terms(0.5, 5.0), gold)
    texts = [(first, second, STOP) for first in range(4, 9) for second in range(4, 9)]
    scores = {text: score_by_hand(made, text, gold, gamma=5.0) for text in texts}
    assert result.numbers == max(scores, key=lambda text: scores[text])[:-1]
    assert result.score == pytest.approx(max(scores.values()), abs=1e-4)


def test_lengths_are_kept_and_what_they_cut_is_said() -> None:
    made = network(entities=False)
    made.output.bias.data[STOP] = -1e9
    made.generate.bias.data[:] = 1e9  # nothing is copied
    cut = write(made, SOURCE, decoding(max_new_tokens=6), Terms())
    assert len(cut.numbers) == 6
    assert cut.cut
    made.output.bias.data[STOP] = 1e9
    ended = write(made, SOURCE, decoding(min_new_tokens=4, max_new_tokens=6), Terms())
    assert len(ended.numbers) == 4
    assert not ended.cut


def test_no_ngram_is_repeated_that_must_not_be() -> None:
    assert repeating((4, 5, 6, 4, 5), 3) == [6]
    assert repeating((4, 5, 4), 1) == [4, 5, 4]
    assert repeating((4, 5, 4), 0) == repeating((4,), 2) == []
    made = network(entities=False)
    made.output.bias.data[STOP] = -1e9
    numbers = write(made, SOURCE, decoding(max_new_tokens=9, no_repeat_ngram_size=2), Terms()).numbers
    pairs = list(pairwise(numbers))
    assert len(set(pairs)) == len(pairs)
    assert (
        len(write(made, SOURCE, decoding(max_new_tokens=9, min_new_tokens=9, no_repeat_ngram_size=1), Terms())[0]) == 5
    )


def test_a_repetition_penalty_is_refused() -> None:
    with pytest.raises(ValueError, match="no repetition penalty"):
        write(network(), SOURCE, decoding(repetition_penalty=0.8), Terms())
