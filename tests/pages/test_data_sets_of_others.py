"""A data set on a hosted server, seen by somebody whose it is not: scored and starred, not changed."""

import pytest

from relevance.data.demo import NAME
from relevance.data.store import DataStore, NotAllowed
from relevance.hosting.uploads import FULL
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import open_page, page_text, sound


def texts_of(part: str, dataset: str = NAME) -> str:
    app = open_page("datasets.py", dataset=dataset)
    app.session_state.part = part
    app = sound(app.run())
    assert not app.error
    return page_text(app) + "".join(f"\n[{button.label}]" for button in app.button)


def test_only_the_owner_is_offered_to_change_a_data_set(server: Server) -> None:  # noqa: F811
    ann, olga = server.add("ann"), server.add("olga", "owner")
    DataStore(server.engine, ann).add_dataset(name="own", format="lines", sha256="", records=[])
    server.visit(ann)
    assert "belongs to somebody else; only they can add systems" in texts_of("Systems")
    assert "[Add systems]" not in texts_of("Systems")
    assert "belongs to somebody else; only they can rename" in texts_of("Rename or delete")
    assert "[Rename]" not in texts_of("Rename or delete")
    assert "[Rename]" in texts_of("Rename or delete", "own")
    server.visit(olga)
    assert "[Add systems]" in texts_of("Systems")
    assert "[Rename]" in texts_of("Rename or delete")


def test_what_was_deleted_is_brought_back_by_its_owner_only(server: Server) -> None:  # noqa: F811
    ann, ben = DataStore(server.engine, server.add("ann")), DataStore(server.engine, server.add("ben"))
    ann.add_dataset(name="own", format="lines", sha256="", records=[])
    deleted = ann.delete_dataset("own")
    with pytest.raises(NotAllowed):
        ben.restore_dataset(deleted)
    ben.add_dataset(name="own", format="lines", sha256="", records=[])
    ben.rename_dataset("own", "another")
    ann.restore_dataset(deleted)
    with pytest.raises(NotAllowed):
        ben.delete_dataset("own")
    ann.delete_dataset("own")


def test_the_field_for_a_file_says_why_one_may_not_be_taken(server: Server) -> None:  # noqa: F811
    server.visit(server.add("ann"))
    assert f"If a file turns red, it was not taken. {FULL}" in page_text(open_page("datasets.py"))
