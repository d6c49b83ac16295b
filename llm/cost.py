"""What calls cost, by prices that the user gives, and a limit that is kept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import NamedTuple

from llm.client import Completion, Request
from llm.tokens import most_tokens

MILLION = 1_000_000


class CostReached(ValueError):
    """One more call could cost more than may be spent."""


class Prices(NamedTuple):
    """What a million tokens cost, in whatever currency."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION


class Budget:
    """What one run spends, at most `most`; None is no limit.

    Before a call the most that it can cost is set aside: a token for each byte that is sent, and all tokens of an
    answer that was allowed. What it did cost is known afterwards. So the limit is kept as long as the prices are right
    and the server charges no tokens that it was not sent and not allowed. Raises ValueError for amounts below 0.
    """

    def __init__(self, prices: Prices | None = None, most: float | None = None) -> None:
        if prices and not all(math.isfinite(price) and price >= 0 for price in prices):
            raise ValueError("prices are at least 0")
        if most is not None and prices is None:
            raise ValueError("a limit of cost needs the prices of a million tokens, in and out")
        if most is not None and not most >= 0:
            raise ValueError("a limit of cost is at least 0")
        self.prices, self.most = prices or Prices(0, 0), math.inf if most is None else most
        self.spent = 0.0
        """For calls that have ended."""
        self.aside: list[float] = []
        """For each call that is being made."""
        self.change = Condition()

    @contextmanager
    def set_aside(self, request: Request) -> Iterator[Payment]:
        """Set aside what a call may cost, while it is made.

        Where calls that are being made have too much set aside, wait for them. Raises `CostReached` where it does not
        fit even so.
        """
        highest = self.prices.cost(most_tokens(request.messages), request.settings.max_tokens)
        with self.change:
            while self.spent + sum(self.aside) + highest > self.most:
                if not self.aside:
                    raise CostReached(
                        f"{self.spent:.4g} were spent, and one more call could exceed the limit of {self.most:.4g}"
                    )
                self.change.wait()
            self.aside.append(highest)
        payment = Payment(request)
        try:
            yield payment
        finally:
            with self.change:
                self.aside.remove(highest)
                self.spent += self.prices.cost(*payment.tokens)
                self.change.notify_all()


class Payment:
    """What a call is charged for: the most that it can take, until its answer says how much it took."""

    def __init__(self, request: Request) -> None:
        self.tokens = most_tokens(request.messages), request.settings.max_tokens

    def is_for(self, completion: Completion) -> None:
        """Charge what an answer took, as far as it says."""
        most_in, most_out = self.tokens
        tokens_in, tokens_out = completion.tokens_in, completion.tokens_out
        self.tokens = most_in if tokens_in is None else tokens_in, most_out if tokens_out is None else tokens_out

    def is_nothing(self) -> None:
        """Charge nothing."""
        self.tokens = 0, 0
