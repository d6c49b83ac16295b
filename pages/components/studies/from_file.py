"""A study from its file, which is checked, shown and applied."""

import streamlit as st

from relevance.annotation.doubts import find_doubts
from relevance.annotation.protocol.file import EXAMPLE, LARGEST, decode, read_protocol, say_place
from relevance.annotation.protocol.places import find_lines
from relevance.annotation.protocol.records import StudyProtocol
from relevance.annotation.protocol.store import Effect
from relevance.annotation.records import ScoresMissing
from relevance.data.one_line import in_one_line
from relevance.data.wording import format_count
from relevance.metrics.from_signature import metric_of, metrics_for
from relevance.pages.components.shared.messages import keep_message
from relevance.pages.components.shared.notices import warn_of_suspicious
from relevance.pages.components.shared.quick_scoring import score_by
from relevance.pages.components.shared.stores import open_stores
from relevance.pages.components.shared.uploading import ask_for_file
from relevance.pages.components.studies.rules import describe_draw
from relevance.reports.escaping import in_markdown

ABOUT = (
    "A study file defines a study completely: consent, training, surveys, panels and stopping rules can be set there "
    "and nowhere else. The example has every key, and says what it is for."
)


def from_file() -> None:
    """Ask for a study file, check it, and offer to apply it."""
    st.caption(ABOUT)
    st.download_button(
        "Example (study.toml)",
        EXAMPLE.read_text(),
        "study.toml",
        key="example",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
    )
    file = ask_for_file("Study file", "study_upload", type=["toml"], max_upload_size=LARGEST // 2**20)
    if file is None:
        return
    name = in_one_line(file.name)
    text = decode(file.getvalue(), name)
    protocol = read_protocol(text, name)
    try:
        effect = open_stores().protocols.examine(text)
    except ScoresMissing:
        if not all(map(metric_of, protocol.signatures.values())):
            raise
        st.caption("The study needs scores that have not been computed yet.")
        if st.button("Compute the scores", key="score_file", type="primary"):
            score_for(protocol)
            st.rerun()
        return
    st.markdown(describe_effect(effect))
    for path, doubt in find_doubts(protocol):
        st.warning(in_markdown(f"{say_place(path, find_lines(text), name)}: {doubt}"))
    if effect.sample is not None:  # its pairs are drawn, so that nobody has judged them
        warn_of_suspicious(open_stores().data.dataset(protocol.dataset.name), protocol.dataset.systems)
    label = "Create the study" if effect.made else "Change the study"
    if st.button(label, key="apply_file", type="primary", disabled=not effect.made and not effect.changed):
        apply(text, protocol)


def apply(text: str, protocol: StudyProtocol) -> None:
    """Compute missing scores, apply the file, and show the study's page."""
    score_for(protocol)
    study = open_stores().protocols.apply(text)
    keep_message(f"{study.name} is as its file says. {describe_draw(study)}")
    st.switch_page("studies.py", query_params={"study": study.name})


def score_for(protocol: StudyProtocol) -> None:
    """Compute the missing scores that a study's rules compare, and the usual ones."""
    dataset = open_stores().data.dataset(protocol.dataset.name)
    score_by(dataset.name, metrics_for(protocol.signatures.values(), referenced=dataset.referenced))


def describe_effect(effect: Effect) -> str:
    """Say what applying a study file would do, in Markdown."""
    name, sample = in_markdown(effect.protocol.name), effect.sample
    if effect.made:
        sentences = [f"This makes the study **{name}**."]
    elif effect.changed:
        sentences = [f"This changes the study **{name}**: {in_markdown(', '.join(effect.changed))}."]
    else:
        sentences = [f"The study **{name}** is as this file says."]
    if sample is not None:
        sentences.append(f"{len(sample.pairs):,} of {format_count(sample.eligible, 'eligible pair')} will be drawn.")
        if sample.checks:
            sentences.append(f"{format_count(len(sample.checks), 'attention check')}.")
        sentences.append("The texts of the data set are those that the file pins.")
    return " ".join(sentences)
