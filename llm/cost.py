"""The cost of calls by prices that the user gives, and an enforced limit."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition
from typing import NamedTuple

from relevance.llm.client import Completion, Request
from relevance.llm.tokens import most_tokens

MILLION = 1_000_000


class CostReached(ValueError):
    """One more call could cost more than the limit."""


class Prices(NamedTuple):
    """The prices of a million tokens, in any currency."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """Return the price of some tokens."""
        return (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / MILLION


class Budget:
    """The spending of one run, at most `most`; None is no limit.

    Before each call its maximum cost is set aside: a token for each byte that is sent, and all tokens of the longest
    allowed answer. Its real cost is known afterwards. So the limit is kept if the prices are right and the server
    charges only tokens that it was sent or allowed. Raises ValueError for amounts below 0.
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
        """The cost of calls that have ended."""
        self.aside: list[float] = []
        """The maximum cost of each call in progress."""
        self.change = Condition()

    @contextmanager
    def set_aside(self, request: Request) -> Iterator[Payment]:
        """Set aside the maximum cost of a call while it is made.

        If calls in progress have too much set aside, wait for them. Raises `CostReached` if the call exceeds the limit
        even without them.
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
    """The tokens that a call is charged for: the maximum until its answer says the number."""

    def __init__(self, request: Request) -> None:
        self.tokens = most_tokens(request.messages), request.settings.max_tokens

    def is_for(self, completion: Completion) -> None:
        """Charge the tokens of an answer, as far as it says them."""
        most_in, most_out = self.tokens
        tokens_in, tokens_out = completion.tokens_in, completion.tokens_out
        self.tokens = most_in if tokens_in is None else tokens_in, most_out if tokens_out is None else tokens_out

    def is_nothing(self) -> None:
        """Charge nothing."""
        self.tokens = 0, 0
