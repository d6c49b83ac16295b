"""The accounts of a hosted server, for its owners."""

import streamlit as st

from relevance.pages.components.shared.messages import errors_shown, show_messages
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.users.accounts import add_user, change_user, show_users

users = open_stores().accounts.users()
st.title("Users")
show_messages()
show_users(users)
with st.expander("Add an account", icon=":material/person_add:"), errors_shown():
    add_user()
if users:
    st.subheader("Change an account", anchor=False)
    with errors_shown():
        change_user(users)
