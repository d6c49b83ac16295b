"""Links that invite annotators to a study, each for one of them."""

import streamlit as st

from relevance.annotation.records import OPEN, Study
from relevance.data.one_line import in_one_line
from relevance.hosting.settings import is_hosted
from relevance.pages.components.shared.links import make_link, show_link
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.studies.sharing import personal_address
from relevance.reports.escaping import in_markdown


def show_personal_links(study: Study) -> None:
    """Offer to make and copy links, each for one annotator."""
    if study.state == OPEN:
        with st.form("invite", width=520, border=False):
            help = "The same name gives the same link again."
            name = st.text_input("Name", key="invite_name", max_chars=200, help=help)
            if st.form_submit_button("Make a personal link", icon=":material/person_add:"):
                invited = open_stores().annotation.invite(study=study.name, name=name)
                st.session_state.link_of = invited.name
                st.rerun()  # the table above has them then
    names = {invited.name: invited for invited in open_stores().annotation.invited(study.name)}
    if names:
        chosen = st.selectbox("Personal link of", list(names), len(names) - 1, format_func=in_one_line, key="link_of")
        own = names[chosen]
        show_link(personal_address(own) if is_hosted() else make_link("annotate", {"invite": own.token}))
        st.caption(f"Whoever opens this link judges as {in_markdown(chosen)}.")
