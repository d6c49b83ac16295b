"""A study's design: its facts, what can be changed of it on the page, and its file with all versions."""

import streamlit as st

from relevance.annotation.protocol.store import ProtocolVersion
from relevance.annotation.records import Study
from relevance.annotation.sampling import GIVEN
from relevance.data.one_line import in_one_line
from relevance.data.sorting import natural_order
from relevance.metrics.registry import label_of
from relevance.pages.components.shared.messages import announce
from relevance.pages.components.shared.stores import may_manage, open_stores
from relevance.pages.components.studies.closing import ask_closing, describe_closing
from relevance.pages.components.studies.rules import describe_draw
from relevance.pages.components.studies.twice import ABOUT_TWICE, TWICE
from relevance.reports.escaping import in_markdown, without_pictures

TWICE_KEY = "judging.judged_twice"
"""The key of a study file for the number of pairs that two people judge."""


def show_design(study: Study) -> None:
    """Show how the study was designed, what can be changed, and its file."""
    facts = {
        "Title": study.title or "",
        "Data set": study.dataset,
        "Systems": ", ".join(sorted(study.systems, key=natural_order)),
        "Pairs": describe_draw(study),
        "Metrics compared": ", ".join(map(label_of, study.signatures)),
        "Judgments wanted per pair": "" if study.rule == GIVEN else f"{study.judgments_per_pair}{study.about_twice}",
        "Ties": study.about_ties,
        "Seed": "" if study.rule == GIVEN else str(study.seed),
        "Created": f"{study.created_at:%Y-%m-%d %H:%M}",
        "Closes": describe_closing(study.closes),
        "Question": study.question,
    }
    st.markdown("\n".join(f"- {name}: {in_markdown(fact)}" for name, fact in facts.items() if fact))
    if may_manage(study):
        change_study(study)
    if study.instructions:
        with st.expander("Instructions as annotators see them"):
            st.markdown(without_pictures(study.instructions))
    show_file(study)


def change_study(study: Study) -> None:
    """Offer to change the title, closing date, instructions and number of pairs that two people judge."""
    with st.form("change_study"):
        title = st.text_input(
            "Title", study.title or "", key=f"title:{study.name}", max_chars=200, help="What annotators see."
        )
        closes = ask_closing(study.closes, f"closes:{study.name}")
        text = st.text_area("Instructions (Markdown)", study.instructions, key=f"instructions:{study.name}", height=160)
        twice = study.judged_twice
        if study.can_judge_twice:
            twice = st.number_input(
                TWICE, 0, max(twice, study.pairs), twice, key=f"twice:{study.name}", help=ABOUT_TWICE
            )
        if not st.form_submit_button("Save the changes"):
            return
    given = {"title": title.strip() or None, "closes": closes, "instructions": text.strip(), TWICE_KEY: twice}
    changes = {key: value for key, value in given.items() if value != getattr(study, key.removeprefix("judging."))}
    if not changes:
        st.info("Nothing was changed.")
        return
    open_stores().protocols.edit(study.name, changes)
    named = {"closes": "closing date", TWICE_KEY: "number of pairs that two people judge"}
    announce(f"Saved the {', '.join(named.get(key, key) for key in changes)} of {study.name}. This holds from now on.")


def show_file(study: Study) -> None:
    """Show the study file, and the versions that it has had."""
    protocols = open_stores().protocols
    text, versions = protocols.export(study.name), protocols.history(study.name)
    with st.expander("Study file", icon=":material/description:"):
        st.caption("Everything that defines the study. `relevance study apply` makes the same study from it elsewhere.")
        st.code(text, language="toml", height=320)
        st.download_button("Download", text, file_name="study.toml", key="study_file", on_click="ignore")
        for version in reversed(versions):
            show_version(study, version)


def show_version(study: Study, version: ProtocolVersion) -> None:
    """Show when a version was made, by whom and what it changed, and offer its file."""
    by = f" by {version.user}" if version.user else ""
    version_text = f"Version {version.version} · {version.created_at:%Y-%m-%d %H:%M} UTC{by}"
    if version.version > 1:
        version_text += f" · changed: {', '.join(version.changed) or 'nothing but comments'}"
    with st.container(horizontal=True, vertical_alignment="center", key=f"version:{version.version}"):
        st.markdown(in_markdown(in_one_line(version_text)), width="content")
        st.download_button(
            f"Version {version.version}",
            lambda: open_stores().protocols.export(study.name, version.version),
            file_name=f"study-{version.version}.toml",
            key=f"version_file:{version.version}",
            type="tertiary",
            on_click="ignore",
        )
