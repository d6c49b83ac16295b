"""The account that is signed in on a hosted server, with the way to change its password and to sign out."""

import streamlit as st

from relevance.pages.components.shared.stores import open_stores
from relevance.reports.escaping import in_markdown

visitor = open_stores().annotation.visitor()
st.title("Account")
if visitor.name is not None:
    role = "an owner of this server" if visitor.everything else "a researcher"
    st.markdown(f"Signed in as **{in_markdown(visitor.name)}**, {role}.")
# A page outside the app: changes to a sign-in are sent as a form that other sites cannot send.
st.html('<p><a href="/account" target="_self">Change the password, or sign out</a></p>')
