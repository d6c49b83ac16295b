"""Whoever came to judge on a hosted server sees no other page, whatever pages keep."""

import pytest
from sqlalchemy.exc import OperationalError

from relevance.annotation.store import AnnotationStore
from relevance.data.store import DatabaseFailed
from relevance.data.store.base import Store
from relevance.hosting.sign_ins import SignedIn, SignInStore, digest_of
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import new_session, open_page, page_text, sound


def test_a_page_that_asks_no_store_is_not_an_annotators(
    server: Server,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server.visit(server.add("olga", "owner"))
    assert "Agreement" in page_text(open_page("glossary.py"))
    invited = AnnotationStore(server.engine).invite(study="Demo", name="anna")
    server.visit(SignedIn(digest_of(SignInStore(server.engine).sign_in(annotator_id=invited.id))))
    assert "Agreement" not in page_text(sound(new_session().run()))

    def fail(_: Store) -> None:
        raise DatabaseFailed(OperationalError("", {}, Exception("disk i/o")))

    monkeypatch.setattr(Store, "visitor", fail)
    shown = page_text(open_page("glossary.py"))
    assert "cannot be used" in shown
    assert "Agreement" not in shown
