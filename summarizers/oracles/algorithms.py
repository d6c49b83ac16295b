"""The searches by name: `greedy` and those that end with `@paper` are Akhmetov et al.'s (2022), the others ours.

Theirs keep the number of sentences that they start with, or breed without keeping the best; ours are free in length and
never lose what they had. Settings are the paper's where it gives them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from summarizers.oracles import exact, genetic, greedy, vns
from summarizers.oracles.problem import Problem, Solution

SECONDS = 60.0
"""Time for one search: a document against one reference. Greedy and genetic search need no limit."""


class Search(Protocol):
    """Solves a problem; equal seeds give equal extracts unless the time ends the search."""

    def __call__(self, problem: Problem, *, seed: int, seconds: float) -> Solution:
        """Search."""


class Algorithm(NamedTuple):
    """A search and what it depends on."""

    search: Search
    settings: Mapping[str, object]
    """For signatures."""
    seeded: bool = False
    timed: bool = False


def run_greedy(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Cover the vocabulary."""
    return greedy.greedy(problem)


def run_vns(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Variable neighbourhoods of random sentences."""
    return vns.vns(problem, seed, seconds=seconds)


def run_vns_greedy(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Variable neighbourhoods of the greedy extract."""
    return vns.vns(problem, seed, greedy.greedy(problem).sentences, seconds=seconds)


def run_vns_paper(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Exchanges among random sentences."""
    return vns.exchange(problem, seed, seconds=seconds)


def run_vns_greedy_paper(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Exchanges in the greedy extract."""
    return vns.exchange(problem, seed, greedy.greedy(problem).sentences, seconds=seconds)


def run_genetic(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed random extracts."""
    return genetic.genetic(problem, seed)


def run_genetic_greedy(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed random extracts and the greedy one."""
    return genetic.genetic(problem, seed, greedy.greedy(problem).sentences)


def run_genetic_paper(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed chunks of the text."""
    return genetic.breed(problem, seed)


def run_genetic_greedy_paper(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed chunks of the text and the greedy extract."""
    return genetic.breed(problem, seed, greedy.greedy(problem).sentences)


def run_exact(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Prove the optimum."""
    return exact.exact(problem, seconds=seconds)


VNS_SETTINGS: dict[str, object] = {"k_max": vns.K_MAX, "iterations": vns.ITERATIONS, "patience": vns.PATIENCE}
GENETIC_SETTINGS: dict[str, object] = {"generations": genetic.GENERATIONS, "population": genetic.POPULATION}
PAPER: dict[str, object] = {"by": "akhmetov2022"}
OURS: dict[str, object] = {"by": "relevance"}
SIZE: dict[str, object] = {"size": "reference"}

ALGORITHMS: dict[str, Algorithm] = {
    "greedy": Algorithm(run_greedy, PAPER),
    "vns@paper": Algorithm(run_vns_paper, PAPER | SIZE | VNS_SETTINGS, seeded=True, timed=True),
    "vns_greedy@paper": Algorithm(run_vns_greedy_paper, PAPER | VNS_SETTINGS, seeded=True, timed=True),
    "genetic@paper": Algorithm(run_genetic_paper, PAPER | SIZE | {"generations": genetic.GENERATIONS}, seeded=True),
    "genetic_greedy@paper": Algorithm(
        run_genetic_greedy_paper, PAPER | SIZE | {"generations": genetic.GENERATIONS}, seeded=True
    ),
    "vns": Algorithm(run_vns, OURS | VNS_SETTINGS, seeded=True, timed=True),
    "vns_greedy": Algorithm(run_vns_greedy, OURS | VNS_SETTINGS, seeded=True, timed=True),
    "genetic": Algorithm(run_genetic, OURS | GENETIC_SETTINGS, seeded=True),
    "genetic_greedy": Algorithm(run_genetic_greedy, OURS | GENETIC_SETTINGS, seeded=True),
    "exact": Algorithm(run_exact, OURS, timed=True),
}
"""The paper's, then ours, the optimum last."""
