"""One study: its progress, its design and its exports."""

import streamlit as st

from relevance.annotation.previewing import copy_study
from relevance.annotation.records import CLOSED, Study, StudyPace
from relevance.annotation.sampling import GIVEN
from relevance.hosting.settings import is_hosted
from relevance.pages.components.annotate.annotator import PREVIEW, leave
from relevance.pages.components.shared.links import make_link, show_link
from relevance.pages.components.shared.messages import errors_shown
from relevance.pages.components.shared.stopping_rule import say_stopping
from relevance.pages.components.shared.stores import Stores, may_manage, open_stores
from relevance.pages.components.studies.cards import describe_pace, describe_progress
from relevance.pages.components.studies.design import show_design
from relevance.pages.components.studies.exporting import show_exports
from relevance.pages.components.studies.managing import manage_study
from relevance.pages.components.studies.sharing import show_members
from relevance.pages.components.studies.stopping_verdict import show_stopping
from relevance.reports.escaping import in_markdown
from relevance.reports.report.study import tell_left_out


def show_study(study: Study) -> None:
    """Show one study in tabs, reading only the one that is open."""
    manages = may_manage(study)
    shows = {"Overview": show_overview, "Design": show_design, "Export": show_exports}
    if study.in_drawn_order:
        shows["Stopping"] = show_stopping
    if is_hosted() and manages:
        shows["Members"] = show_members
    if manages or study.bundle_sha256 is not None:
        shows["Manage"] = manage_study
    for part, show in zip(st.tabs(list(shows), key="study_part", on_change="rerun"), shows.values(), strict=True):
        if part.open:
            with part, errors_shown():
                show(study)


# --- overview ---------------------------------------------------------------------------------------------------


def show_overview(study: Study) -> None:
    """Show how far the study is, and what comes next."""
    store, manages = open_stores().annotation, may_manage(study)
    pace = store.pace(study.name)
    st.progress(*describe_progress(study))
    left_out = tell_left_out(study)
    st.markdown(describe_pace(study, pace) + (f" · {left_out}" if left_out else ""))
    if sentence := say_stopping(study):
        st.markdown(in_markdown(sentence))
    if manages or study.judgments:
        offer_next_step(study, pace)
    if study.bundle_sha256 is not None:
        st.caption(f"Opened from the bundle {study.bundle_sha256}: it can be read, but not judged.")
    elif study.rule == GIVEN:
        st.caption("The judgments came with the data set. They can be read; the study takes no others.")
        return
    elif study.state == CLOSED:
        st.caption("The study is closed: its links take no more judgments.")
    elif not is_hosted():
        st.markdown("**Link for anybody who gives a name**")
        show_link(make_link("annotate", {"study": study.name}))
        st.caption("Personal links, one for each annotator, are made on the page Annotators.")
    with st.container(horizontal=True):
        if st.button("Annotators", icon=":material/group:", key="to_annotators"):
            st.switch_page("annotators.py", query_params={"study": study.name})
        if st.button("Preview as an annotator", icon=":material/visibility:", key="preview"):
            leave()  # an earlier walk is forgotten
            st.session_state[PREVIEW] = Stores(copy_study(store, study.name))  # in memory: nothing is stored
            st.switch_page("annotate.py")
        closed = study.state == CLOSED
        label, icon = ("Reopen the study", "lock_open") if closed else ("Close the study", "lock")
        if manages and st.button(
            label, icon=f":material/{icon}:", key="close", help="A closed study takes no more judgments."
        ):
            store.close_study(study.name, closed=not closed)
            st.rerun()


def offer_next_step(study: Study, pace: StudyPace) -> None:
    """Offer a researcher the next step: inviting people, or looking at the results."""
    with st.container(horizontal=True, vertical_alignment="center", key="next"):
        if study.judgments:
            st.markdown("**Next:** see what the judgments say.", width="content")
            if st.button("See results", icon=":material/insights:", key="next_results", type="primary"):
                st.switch_page("overview.py", query_params={"study": study.name})
        else:
            more = "wait for the first judgment, or invite more people." if pace.annotators else "invite annotators."
            st.markdown(f"**Next:** {more}", width="content")
            if st.button("Invite annotators", icon=":material/person_add:", key="next_invite", type="primary"):
                st.switch_page("annotators.py", query_params={"study": study.name})
