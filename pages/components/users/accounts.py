"""Accounts of a hosted server: a list, a form for a new one, and changes that an owner makes."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.hosting.accounts import ROLES, SHORTEST, User
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

FORMS = "users_forms"
"""Session key: how many forms were sent; the next ones are new, so that no password stays in one."""

COLUMNS = {
    "last seen": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm"),
    "since": st.column_config.DatetimeColumn(format="YYYY-MM-DD"),
}


def show_users(users: Sequence[User]) -> None:
    """Show all accounts in a table."""
    frame = pd.DataFrame(
        {
            "account": in_one_line(user.name),
            "role": user.role,
            "email": user.email,
            "last seen": user.seen_at,
            "since": user.created_at,
            "state": "disabled" if user.disabled_at else "active",
        }
        for user in users
    )
    st.dataframe(frame, hide_index=True, column_config=COLUMNS, placeholder="—", key="users")


def add_user() -> None:
    """Show a form for a new account."""
    number = st.session_state.get(FORMS, 0)
    with st.form(f"add_user:{number}", border=False, width=520):
        name = st.text_input("Name", key=f"user_name:{number}", max_chars=200, autocomplete="off")
        role = st.selectbox(
            "Role",
            ROLES[::-1],
            key=f"user_role:{number}",
            help="A researcher makes studies, and sees those they are a member of. An owner may do everything.",
        )
        email = st.text_input(
            "Email",
            key=f"user_email:{number}",
            max_chars=320,
            autocomplete="off",
            help="Needed where the lab's OpenID Connect provider signs the person in.",
        )
        password = ask_password(f"user_password:{number}", "Left empty, only the provider's sign-in opens the account.")
        if st.form_submit_button("Add the account", icon=":material/person_add:", type="primary"):
            user = open_stores().accounts.add_user(name=name, role=role, email=email, password=password or None)
            st.session_state[FORMS] = number + 1
            announce(f"Added the {user.role} {user.name}.")


def change_user(users: Sequence[User]) -> None:
    """Ask for an account, and offer to disable or enable it, to sign it out, to unbind it, and to set its password."""
    accounts = open_stores().accounts
    names = {user.name: user for user in users}
    chosen = st.selectbox("Account", list(names), format_func=in_one_line, key="user_chosen", width=520)
    user = names[chosen]
    with st.container(horizontal=True, key="user_actions"):
        if user.disabled_at is None:
            if st.button("Disable", icon=":material/block:", key="user_disable", help="What the account made stays."):
                accounts.disable(user.name)
                announce(f"{user.name} is disabled and signed out.")
        elif st.button("Enable", icon=":material/check:", key="user_enable"):
            accounts.disable(user.name, disabled=False)
            announce(f"{user.name} is active.")
        if st.button("Sign out everywhere", icon=":material/logout:", key="user_sign_out"):
            accounts.sign_out(user.name)
            announce(f"{user.name} is signed out everywhere.")
        if user.subject is not None and st.button(
            "Unbind",
            icon=":material/link_off:",
            key="user_unbind",
            help="Signs the account out. It then belongs to whoever comes next from the lab's provider with its email.",
        ):
            accounts.unbind(user.name)
            announce(f"{user.name} is signed out, and not bound to a person of the provider any more.")
    number = st.session_state.get(FORMS, 0)
    with st.form(f"set_password:{user.id}:{number}", border=False, width=520):
        help = f"Signs {in_markdown(user.name)} out everywhere."
        password = ask_password(f"set_password_typed:{user.id}:{number}", help)
        if st.form_submit_button("Set the password", icon=":material/key:"):
            accounts.set_password(user.name, password)
            st.session_state[FORMS] = number + 1
            announce(f"{user.name} has another password and is signed out.")


def ask_password(key: str, help: str) -> str:
    """Ask for a new password."""
    label = f"Password, at least {SHORTEST} characters"
    return st.text_input(label, type="password", key=key, autocomplete="new-password", help=help)
