"""The playground: texts to write or change, every metric's scores of them while one types, and the worth of a word."""

from contextlib import suppress

import streamlit as st

from relevance.metrics.explained import CannotExplain
from relevance.metrics.registry import available_of_libraries
from relevance.pages.components.disagreements.examples import load_chosen_examples
from relevance.pages.components.evidence.views import inspector
from relevance.pages.components.playground.draft import (
    LONGEST,
    LONGEST_SOURCE,
    MOST_REFERENCES,
    Draft,
    Field,
    from_examples,
)
from relevance.pages.components.playground.forms import metrics_form, open_form, save_form, share_form
from relevance.pages.components.playground.live import live_text, pulse
from relevance.pages.components.playground.results import show_evidence, show_scores, show_what_if
from relevance.pages.components.playground.sharing import BadLink, from_link
from relevance.pages.components.playground.state import Playground
from relevance.pages.components.shared.score_table import LETTERS, SCORE_STYLE
from relevance.reports.escaping import in_markdown
from relevance.reports.evidence.highlighting import HIGHLIGHT_STYLE

LIVE = ["playground_scores", "playground_below"]  # the fragments that a key press runs
VIEWS = ["Evidence", "What if"]
FORMS = {"Open": open_form, "Save": save_form, "Share": share_form, "Metrics": metrics_form}
ICONS = {
    "Open": ":material/folder_open:",
    "Save": ":material/save:",
    "Share": ":material/share:",
    "Metrics": ":material/calculate:",
}

# The scores stay in sight while one types: beside the texts if there is room, otherwise at the lower edge.
PLAYGROUND_STYLE = """<style>
[data-testid="stColumn"]:has(.st-key-live_scores) { position: sticky; top: 4rem; align-self: flex-start; z-index: 4;
  background: light-dark(#ffffff, #171614); }
@media (max-width: 640px) {
  [data-testid="stColumn"]:has(.st-key-live_scores) { top: auto; bottom: 0; max-height: 25vh; overflow-y: auto;
    border-top: 2px solid rgb(128 128 128 / .5); }
  .st-key-live_scores :is(th, td) { padding: .1rem .4rem; font-size: .875rem; }
}
@media (max-width: 900px) { .st-key-live_scores :is(th, td) { padding-inline: .25rem; font-size: .8125rem; } }
</style>"""

# Session keys: the playground, the link that was opened last, and the view below the scores.
PLAYGROUND, LINK, VIEW = "playground", "playground_link", "playground_view"


# --- the playground -----------------------------------------------------------------------------------------------


def playground_of_session() -> Playground:
    """Return the session's playground, with the example of the address, if any, loaded into it."""
    state = st.session_state
    if PLAYGROUND not in state:
        # An example with evidence of every metric.
        state[PLAYGROUND] = Playground(from_examples(load_chosen_examples()[0].examples))
    playground: Playground = state[PLAYGROUND]
    playground.proceed()
    link = st.query_params.get("example")
    if link is not None and link != state.get(LINK):
        state[LINK] = link
        try:
            playground.lay(from_link(link))
        except BadLink as error:
            playground.lay(Draft())
            st.error(f"The example in the address cannot be opened: {in_markdown(error)}")
    return playground


def whole_page() -> None:
    """Do nothing: as a callback, this makes the whole page run, even together with a key press."""


def show_forms(playground: Playground) -> None:
    """Show the forms to open, save and share."""
    with st.container(horizontal=True):
        for name, form in FORMS.items():
            if form is metrics_form and not available_of_libraries():
                continue
            popover = st.popover(name, icon=ICONS[name], key=f"playground_{name.lower()}", on_change=whole_page)
            if popover.open:
                with popover:
                    form(playground)


def show_undo(playground: Playground) -> None:
    """Show the buttons that undo and redo; they are drawn with the scores, as typing is a change, too."""
    with st.container(horizontal=True, gap="small"):
        for name, step, there in (
            ("Undo", playground.take_back, playground.past),
            ("Redo", playground.bring_back, playground.future),
        ):
            key, icon = f"playground_{name.lower()}", f":material/{name.lower()}:"
            st.button(name, icon=icon, key=key, on_click=playground.schedule, args=(step,), disabled=not there)


# --- the texts ------------------------------------------------------------------------------------------------


def show_field(
    playground: Playground, kind: Field, place: int, label: str, text: str, rows: int, longest: int = LONGEST
) -> None:
    """Show the field of one text."""
    began = playground.began(kind, place)

    def typed(text: str, seen: int) -> None:
        playground.typed(began, kind, place, text, seen)
        st.rerun(LIVE[:1])  # the other follows by the pulse

    key = f"playground_{kind}:{place}:{began}"
    live_text(label, text, key=key, on_typed=typed, rows=rows, longest=longest)


def change(playground: Playground, verb: str, what: str) -> None:
    """Add or remove one text."""
    playground.schedule(lambda: playground.lay(getattr(playground.draft, f"{verb}_{what}")()))


def more_or_fewer(playground: Playground, what: str, count: int, most: int) -> None:
    """Show the buttons that add or remove one text."""
    with st.container(horizontal=True, gap="small"):
        for verb, icon, off in (("add", ":material/add:", count >= most), ("drop", ":material/remove:", count <= 1)):
            label = f"Add a {what}" if verb == "add" else f"Remove the last {what}"
            key = f"playground_{verb}_{what}"
            st.button(
                label, icon=icon, type="tertiary", disabled=off, key=key, on_click=change, args=(playground, verb, what)
            )


def show_texts(playground: Playground) -> None:
    """Show the fields of all texts."""
    draft = playground.draft
    with st.container(height=360 if len(draft.references) > 3 else "content", border=False):
        for row in range(0, len(draft.references), 2):
            columns = st.columns(2 if len(draft.references) > 1 else 1)
            for column, place in zip(columns, range(row, min(row + 2, len(draft.references))), strict=False):
                with column:
                    show_field(playground, "reference", place, f"Reference {place + 1}", draft.references[place], 3)
    more_or_fewer(playground, "reference", len(draft.references), MOST_REFERENCES)
    with st.expander("Title and source (optional)", expanded=False, key="playground_document"):
        show_field(playground, "title", 0, "Title", draft.title, 1)
        show_field(playground, "source", 0, "Source", draft.source, 6, LONGEST_SOURCE)
    for column, place in zip(st.columns(len(draft.summaries)), range(len(draft.summaries)), strict=True):
        with column:
            name = draft.names[place].strip()
            label = f"Summary {LETTERS[place]}: {name}" if name else f"Summary {LETTERS[place]}"
            show_field(playground, "summary", place, label, draft.summaries[place], 4)
    more_or_fewer(playground, "summary", len(draft.summaries), len(LETTERS))


# --- the numbers ----------------------------------------------------------------------------------------------


def catch_up(playground: Playground, generation: int) -> None:
    """Make the changes asked for, and draw the page again if this outdates its fields, which are of `generation`."""
    playground.proceed()
    if playground.generation != generation:
        st.rerun()


@st.fragment(key=LIVE[0])
def show_numbers(playground: Playground, generation: int) -> None:
    """Show all scores, and run the page's timer."""

    def due() -> None:
        """Ask the models when it is time, and draw the evidence again if it is outdated."""
        # What is below comes first: as long as it is behind, the scores would ask for it again.
        st.rerun(LIVE[::-1] if playground.due(inspector()) else LIVE[:1])

    catch_up(playground, generation)
    after = playground.want(what_if=st.session_state.get(VIEW) == VIEWS[1])
    show_undo(playground)
    show_scores(playground)
    pulse(playground.seen, after, turn=playground.turn, key="playground_pulse", on_due=due)


@st.fragment(key=LIVE[1])
def show_below(playground: Playground, generation: int) -> None:
    """Show the evidence, or the effect of changing a word."""
    catch_up(playground, generation)
    playground.behind = False
    view = st.segmented_control(
        "Look at", VIEWS, default=VIEWS[0], key=VIEW, required=True, on_change=lambda: st.rerun(LIVE)
    )
    if view == VIEWS[0]:
        show_evidence(playground)
    else:
        show_what_if(playground, LIVE)


# --- the page -------------------------------------------------------------------------------------------------

st.title("Playground")
st.html(HIGHLIGHT_STYLE + SCORE_STYLE + PLAYGROUND_STYLE)
st.markdown(
    "Write or change texts: scores follow as you type, those of models when you pause. "
    "Nothing is stored unless you save it."
)
playground = playground_of_session()
with suppress(CannotExplain):  # the scores say so
    inspector().warm()  # models and dictionaries load while people read
show_forms(playground)
texts, numbers = st.columns([5, 4], gap="medium")
with texts:
    show_texts(playground)
generation = playground.generation
playground.behind = False
with numbers, st.container(key="live_scores"):
    show_numbers(playground, generation)
show_below(playground, generation)
