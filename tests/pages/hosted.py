"""Pages of a hosted server, looked at by somebody who has signed in."""

from collections.abc import Callable, Iterator
from secrets import token_hex

import pytest
from sqlalchemy import Engine

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.rights import Actor
from relevance.hosting.accounts import AccountStore
from relevance.hosting.settings import HOSTED, PUBLIC_URL, SECRET, hosted_settings
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from relevance.pages.components.shared import stores
from relevance.pages.computing.page_pool import open_pool

ADDRESS = "https://relevance.example.org"


class Server:
    """A hosted server over the demo corpus, and who looks at its pages."""

    def __init__(self, engine: Engine, become: Callable[[Actor], None]) -> None:
        self.engine, self.become = engine, become
        self.accounts = AccountStore(engine)

    def add(self, name: str, role: str = "researcher") -> SignedIn:
        """Add an account, signed in."""
        user = self.accounts.add_user(name=name, role=role, email=f"{name}@example.org")
        return SignedIn(digest_of(SignInStore(self.engine).sign_in(user_id=user.id)))

    def visit(self, actor: Actor) -> None:
        """Look at pages as somebody from now on."""
        self.become(actor)

    def study(self) -> str:
        """The name of the demo's study."""
        return AnnotationStore(self.engine).studies()[0].name


@pytest.fixture
def server(demo_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    open_pool().end()  # its processes know another test's database
    open_pool.cache_clear()
    for variable, value in ((HOSTED, "1"), (SECRET, token_hex(32)), (PUBLIC_URL, ADDRESS)):
        monkeypatch.setenv(variable, value)
    hosted_settings.cache_clear()
    engine = connect(demo_url)
    yield Server(engine, lambda actor: monkeypatch.setattr(stores, "current_actor", lambda: actor))
    open_pool().end()
    open_pool.cache_clear()
