"""The network: a bidirectional LSTM encoder, and a decoder with attention, copying and attention to entities.

The pointer-generator of See et al. (2017), sections 2.1 and 2.2:

    e_i = v' tanh(W h_i + U s_t + b),  a_t = softmax(e),  c_t = sum a_ti h_i
    P(w) = p_gen P_vocabulary(w) + (1 - p_gen) sum of a_ti over the positions i of w in the source

and the entity attention of Eyal et al. (2019): a^e_i = sigmoid(v' tanh(U h_i + b)), read once from the source. As in
the published code, the decoder does not read it: it teaches the encoder what is asked for, and the search checks that
this was attended to.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from relevance.summarizers.pointer.words import PADDING, UNKNOWN

if TYPE_CHECKING:
    import torch


ENTITY = "entity."
"""The beginning of the names of the entity attention's weights."""


class Memory(NamedTuple):
    """The encoded sources."""

    states: torch.Tensor
    """(documents, words, width)"""
    keys: torch.Tensor
    """W h_i of the attention: (documents, words, width)"""
    there: torch.Tensor
    """(documents, words), False for padding"""
    entities: torch.Tensor | None
    """a^e before the sigmoid: (documents, words); None without entity attention"""


class State(NamedTuple):
    """The state of the decoder."""

    hidden: torch.Tensor
    cell: torch.Tensor
    context: torch.Tensor
    """All (documents, width)."""


class Step(NamedTuple):
    """One step of the decoder."""

    state: State
    attention: torch.Tensor
    """a_t: (documents, words)"""
    given: torch.Tensor
    """The step's input from word and context: (documents, embedding)"""


@cache
def network_class() -> Any:
    """Return the network's class; made here, as torch is loaded where it is used."""
    import torch
    from torch import nn

    class Network(nn.Module):
        """All layers; those for copying and entities are made last, and only if needed."""

        def __init__(
            self, vocabulary: int, *, embedding: int, width: int, copies: bool = False, entities: bool = False
        ) -> None:
            super().__init__()
            self.vocabulary = vocabulary
            self.embedding = nn.Embedding(vocabulary, embedding, padding_idx=PADDING)
            self.encoder = nn.LSTM(embedding, width // 2, batch_first=True, bidirectional=True)
            self.first_hidden = nn.Linear(width, width)
            self.first_cell = nn.Linear(width, width)
            self.input = nn.Linear(embedding + width, embedding)
            self.decoder = nn.LSTMCell(embedding, width)
            self.attention_key = nn.Linear(width, width, bias=False)
            self.attention_query = nn.Linear(width, width)
            self.attention_score = nn.Linear(width, 1, bias=False)
            self.joined = nn.Linear(2 * width, width)
            self.output = nn.Linear(width, vocabulary)
            self.generate = nn.Linear(2 * width + embedding, 1) if copies else None
            self.entity = (
                nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1, bias=False)) if entities else None
            )

        def read(self, ids: torch.Tensor, lengths: torch.Tensor) -> tuple[Memory, State]:
            """Encode sources (documents, words), each of at least one word."""
            packed = nn.utils.rnn.pack_padded_sequence(
                self.embedding(ids), lengths.cpu(), batch_first=True, enforce_sorted=False
            )
            encoded, last = self.encoder(packed)
            states, _ = nn.utils.rnn.pad_packed_sequence(encoded, batch_first=True, total_length=ids.shape[1])
            hidden, cell = (torch.cat([both[0], both[1]], -1) for both in last)
            there = torch.arange(ids.shape[1], device=ids.device) < lengths.to(ids.device)[:, None]
            entities = None if self.entity is None else self.entity(states)[..., 0]
            memory = Memory(states, self.attention_key(states), there, entities)
            first = State(torch.relu(self.first_hidden(hidden)), torch.relu(self.first_cell(cell)), 0 * states[:, 0])
            return memory, first

        def step(self, words: torch.Tensor, state: State, memory: Memory) -> Step:
            """Take one step from the last words, (documents,), with copied ones by their extended numbers."""
            known = words.masked_fill(words >= self.vocabulary, UNKNOWN)
            given = self.input(torch.cat([self.embedding(known), state.context], -1))
            hidden, cell = self.decoder(given, (state.hidden, state.cell))
            scores = self.attention_score(torch.tanh(memory.keys + self.attention_query(hidden)[:, None]))[..., 0]
            attention = scores.masked_fill(~memory.there, -torch.inf).softmax(-1)
            context = torch.einsum("ds,dsw->dw", attention, memory.states)
            return Step(State(hidden, cell, context), attention, given)

    return Network


def vocabulary_log(network: Any, hidden: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
    """Compute ln P_vocabulary: (..., vocabulary)."""
    import torch

    log: torch.Tensor = network.output(network.joined(torch.cat([hidden, context], -1))).log_softmax(-1)
    return log


def generation(network: Any, hidden: torch.Tensor, context: torch.Tensor, given: torch.Tensor) -> torch.Tensor | None:
    """Compute p_gen: (...); None without copying."""
    import torch

    if network.generate is None:
        return None
    return torch.sigmoid(network.generate(torch.cat([context, hidden, given], -1))[..., 0])


def distribution(network: Any, step: Step, extended: torch.Tensor, extra: int) -> torch.Tensor:
    """Compute P of each word after a step: (documents, vocabulary + extra).

    `extended` are the sources' words in extended numbers, (documents, words); `extra` numbers are the sources' alone.
    """
    import torch

    chances = vocabulary_log(network, step.state.hidden, step.state.context).exp()
    p_gen = generation(network, step.state.hidden, step.state.context, step.given)
    if p_gen is None:
        return chances
    written = torch.nn.functional.pad(p_gen[:, None] * chances, (0, extra))
    return written.scatter_add(1, extended, (1 - p_gen)[:, None] * step.attention)
