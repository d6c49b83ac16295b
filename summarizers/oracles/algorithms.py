"""The searches by name: `greedy`, those with `@paper` and with `@code` are Akhmetov et al.'s (2022), the others ours.

Those with `@code` do what the published notebooks do where that is not what the paper says.
Their extracts have as many sentences as the reference, and their genetic search may lose the best; our extracts have
any number of sentences, and none of our searches loses its best one. Settings are the paper's if it gives them.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from relevance.summarizers.oracles.exact import exact
from relevance.summarizers.oracles.genetic import GENERATIONS, POPULATION, breed, genetic
from relevance.summarizers.oracles.greedy import greedy
from relevance.summarizers.oracles.problem import Problem, Solution
from relevance.summarizers.oracles.vns import K_MAX, NOTEBOOK, USUAL, StopRule, exchange, refill, vns

SECONDS = 60.0
"""The time limit of one search, a document against one reference. Greedy and our genetic search need none."""


class Algorithm(NamedTuple):
    """A search and its settings."""

    run: Callable[[Problem, int, Iterable[int] | None, float], Solution]
    """Takes the problem, a seed, the extract to start with, and the time limit in seconds."""
    settings: Mapping[str, object]
    """The settings in signatures."""
    from_greedy: bool = False
    """Whether the search starts with the greedy extract."""
    seeded: bool = False
    timed: bool = False

    def search(self, problem: Problem, *, seed: int, seconds: float) -> Solution:
        """Solve a problem; equal seeds give equal extracts unless the time limit ends the search."""
        return self.run(problem, seed, greedy(problem).sentences if self.from_greedy else None, seconds)


def run_vns(problem: Problem, seed: int, start: Iterable[int] | None, seconds: float) -> Solution:
    """Run our variable neighbourhood search."""
    return vns(problem, seed, start, StopRule(seconds))


def run_exchange(problem: Problem, seed: int, start: Iterable[int] | None, seconds: float) -> Solution:
    """Run the paper's variable neighbourhood search."""
    return exchange(problem, seed, start, StopRule(seconds))


def run_refill(problem: Problem, seed: int, start: Iterable[int] | None, seconds: float) -> Solution:
    """Run the variable neighbourhood search of the paper's notebook."""
    return refill(problem, seed, start, NOTEBOOK._replace(seconds=seconds))


def run_genetic(problem: Problem, seed: int, start: Iterable[int] | None, seconds: float) -> Solution:
    """Run our genetic search."""
    return genetic(problem, seed, start)


def run_breed(problem: Problem, seed: int, start: Iterable[int] | None, seconds: float) -> Solution:
    """Run the paper's genetic search."""
    return breed(problem, seed, start, stop=StopRule(seconds))


OURS: dict[str, object] = {"by": "relevance"}
PAPER: dict[str, object] = {"by": "akhmetov2022"}
SIZE: dict[str, object] = {"size": "reference-sentences"}
VNS: dict[str, object] = {"k_max": K_MAX, "iterations": USUAL.iterations, "patience": USUAL.patience}
REFILL: dict[str, object] = VNS | {"iterations": NOTEBOOK.iterations, "failures": "all"}
GENETIC: dict[str, object] = {"generations": GENERATIONS, "population": POPULATION}
BRED: dict[str, object] = {"generations": GENERATIONS, "crossed": "all"}

ALGORITHMS: dict[str, Algorithm] = {
    "greedy": Algorithm(lambda problem, *_: greedy(problem), PAPER),
    "vns@paper": Algorithm(run_exchange, PAPER | SIZE | VNS, seeded=True, timed=True),
    "vns_greedy@paper": Algorithm(run_exchange, PAPER | VNS, from_greedy=True, seeded=True, timed=True),
    "vns@code": Algorithm(run_refill, PAPER | SIZE | REFILL, seeded=True, timed=True),
    "vns_greedy@code": Algorithm(run_refill, PAPER | SIZE | REFILL, from_greedy=True, seeded=True, timed=True),
    "genetic@paper": Algorithm(run_breed, PAPER | SIZE | BRED, seeded=True, timed=True),
    "genetic_greedy@paper": Algorithm(run_breed, PAPER | SIZE | BRED, from_greedy=True, seeded=True, timed=True),
    "vns": Algorithm(run_vns, OURS | VNS, seeded=True, timed=True),
    "vns_greedy": Algorithm(run_vns, OURS | VNS, from_greedy=True, seeded=True, timed=True),
    "genetic": Algorithm(run_genetic, OURS | GENETIC, seeded=True),
    "genetic_greedy": Algorithm(run_genetic, OURS | GENETIC, from_greedy=True, seeded=True),
    "exact": Algorithm(lambda problem, _, start, seconds: exact(problem, start, seconds=seconds), OURS, timed=True),
}
"""The searches by name: the paper's, then ours, with the optimum last."""

BY_DEFAULT = tuple(name for name in ALGORITHMS if not name.endswith("@code"))
"""The searches that are run unless others are named: what the paper's notebook does explains its figures, and is worse
than what the paper says.
"""
