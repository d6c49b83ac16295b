"""The searches by name, at the settings of Akhmetov et al. (2022) where the paper gives them."""

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


def run_genetic(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed random extracts."""
    return genetic.genetic(problem, seed)


def run_genetic_greedy(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Breed random extracts and the greedy one."""
    return genetic.genetic(problem, seed, greedy.greedy(problem).sentences)


def run_exact(problem: Problem, *, seed: int, seconds: float) -> Solution:
    """Prove the optimum."""
    return exact.exact(problem, seconds=seconds)


VNS_SETTINGS = {"k_max": vns.K_MAX, "iterations": vns.ITERATIONS, "patience": vns.PATIENCE}
GENETIC_SETTINGS = {"generations": genetic.GENERATIONS, "population": genetic.POPULATION}

ALGORITHMS: dict[str, Algorithm] = {
    "greedy": Algorithm(run_greedy, {}),
    "vns": Algorithm(run_vns, VNS_SETTINGS, seeded=True, timed=True),
    "vns_greedy": Algorithm(run_vns_greedy, VNS_SETTINGS, seeded=True, timed=True),
    "genetic": Algorithm(run_genetic, GENETIC_SETTINGS, seeded=True),
    "genetic_greedy": Algorithm(run_genetic_greedy, GENETIC_SETTINGS, seeded=True),
    "exact": Algorithm(run_exact, {}, timed=True),
}
"""In the order of the paper's tables, the optimum last."""
