"""The settings and stores of the gate and its pages, used on behalf of the server itself."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Engine

from relevance.hosting.accounts import AccountStore
from relevance.hosting.attempts import AttemptStore
from relevance.hosting.links import LinkStore
from relevance.hosting.settings import Settings
from relevance.hosting.sign_ins import SignInStore


@dataclass(frozen=True)
class Services:
    """Settings and stores that a hosted server shares among its requests."""

    settings: Settings
    engine: Engine
    accounts: AccountStore
    sign_ins: SignInStore
    links: LinkStore
    attempts: AttemptStore

    @classmethod
    def over(cls, engine: Engine, settings: Settings) -> Services:
        """Make the stores over one engine."""
        return cls(settings, engine, AccountStore(engine), SignInStore(engine), LinkStore(engine), AttemptStore(engine))
