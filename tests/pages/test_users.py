"""The page Users: accounts added and changed by an owner, and hidden from everybody else."""

import pytest
from streamlit.testing.v1 import AppTest

from relevance.hosting.accounts import password_is_right
from relevance.hosting.sign_ins import SignedIn, SignInStore
from tests.pages.hosted import Server, server  # noqa: F401  a fixture
from tests.pages.opening import new_session, open_page, page_text, pressed, sound

PASSWORD = "plum-otter-bicycle"


@pytest.fixture
def owned(server: Server) -> Server:  # noqa: F811
    server.visit(server.add("olga", "owner"))
    return server


def rows(app: AppTest) -> list[tuple[str, str, str]]:
    frame = app.dataframe[0].value
    return list(frame[["account", "role", "state"]].itertuples(index=False, name=None))


def kept(app: AppTest) -> dict[str, object]:
    """What the widgets on the page hold."""
    return {field.key: field.value for field in app.text_input}


def fill(app: AppTest, number: int = 0, **fields: str) -> AppTest:
    for field, value in fields.items():
        app.text_input(key=f"user_{field}:{number}").input(value)
    return app


def test_an_owner_adds_accounts(owned: Server) -> None:
    app = open_page("users.py")
    assert rows(app) == [("olga", "owner", "active")]
    app = pressed(fill(app, name="<b>ann</b>", password=PASSWORD), "Add the account")
    assert "Added the researcher <b>ann</b>." in page_text(app)
    assert rows(app) == [("<b>ann</b>", "researcher", "active"), ("olga", "owner", "active")]
    password = owned.accounts.password_of("<b>ann</b>")
    assert password is not None
    assert password_is_right(PASSWORD, password[1])
    assert app.text_input(key="user_password:1").value == ""
    assert PASSWORD not in str(kept(app))
    app.selectbox(key="user_role:1").set_value("owner")
    app = pressed(fill(app, 1, name="otto", email="otto@example.org"), "Add the account")
    assert ("otto", "owner", "active") in rows(app)
    assert owned.accounts.password_of("otto") is None


def test_what_is_refused_is_said_and_what_was_typed_stays(owned: Server) -> None:
    app = open_page("users.py")
    for fields, why in (
        ({"name": "ann"}, "needs a password, or an email address"),
        ({"password": "short"}, "needs 12 to 200 characters"),
        ({"password": PASSWORD, "name": "olga"}, "There is already an account"),
    ):
        app = pressed(fill(app, **fields), "Add the account")
        assert why in app.error[0].value.replace("\\", "")
        assert app.text_input(key="user_name:0").value == fields.get("name", "ann")
    assert len(rows(app)) == 1


def test_an_owner_changes_an_account(owned: Server) -> None:
    ann = owned.add("ann")
    sign_ins = SignInStore(owned.engine)
    app = open_page("users.py")
    app = sound(app.selectbox(key="user_chosen").set_value("ann").run())
    app = pressed(app, "Sign out everywhere")
    assert "Ann is signed out everywhere." in page_text(app)
    assert not sign_ins.is_live(ann.digest)
    app = pressed(app, "Disable")
    assert "Ann is disabled and signed out." in page_text(app)
    assert rows(app)[0] == ("ann", "researcher", "disabled")
    app = pressed(app, "Enable")
    assert rows(app)[0] == ("ann", "researcher", "active")
    app.text_input(key=f"set_password_typed:{owned.accounts.user('ann').id}:0").input(PASSWORD)
    app = pressed(app, "Set the password")
    assert "Ann has another password and is signed out." in page_text(app)
    password = owned.accounts.password_of("ann")
    assert password is not None
    assert password_is_right(PASSWORD, password[1])
    assert PASSWORD not in str(kept(app))


def test_the_last_owner_stays(owned: Server) -> None:
    app = pressed(open_page("users.py"), "Disable")
    assert "'olga' is the only owner" in app.error[0].value.replace("\\", "")
    assert rows(app) == [("olga", "owner", "active")]


def test_an_owner_who_is_signed_out_changes_nothing(owned: Server) -> None:
    app = open_page("users.py")
    owned.accounts.sign_out("olga")
    app = pressed(fill(app, name="ann", password=PASSWORD), "Add the account")
    assert "Sign in again" in page_text(app) or "sign in again" in page_text(app)
    assert [user.name for user in owned.accounts.users()] == ["olga"]


def test_nobody_else_comes_to_the_page(owned: Server) -> None:
    for actor in (owned.add("ann"), SignedIn("guessed")):
        owned.visit(actor)
        with pytest.raises(ValueError, match="Could not find a navigation page"):  # it is not a page of theirs
            new_session().run().switch_page("users.py").run()
