"""The results for the texts: scores, evidence, and the worth of a word."""

from collections.abc import Sequence

import streamlit as st

from relevance.data.one_line import in_one_line
from relevance.data.records import Example
from relevance.data.signatures import is_length
from relevance.metrics import METRICS, is_lexical, lexical_metrics
from relevance.metrics.explained import CannotExplain, Explained, explain
from relevance.metrics.from_signature import NOT_MADE_AGAIN, metric_of
from relevance.metrics.registry import label_of
from relevance.pages.components.evidence.views import evidence_html, side_by_side
from relevance.pages.components.playground.draft import Draft, examples_of
from relevance.pages.components.playground.live import live_text, word_choice
from relevance.pages.components.playground.score_table import changes_html, scores_html, worths_html
from relevance.pages.components.playground.state import Playground
from relevance.pages.components.playground.what_if import make_parts, most_words, word_spans, worths
from relevance.pages.components.shared.score_table import LETTERS
from relevance.reports.escaping import in_markdown, text_block
from relevance.reports.evidence.novelty import ALL, NOVELTY, novelty_html
from relevance.reports.evidence.words import in_words


def show_scores(playground: Playground) -> None:
    """Show the table of all metrics' scores."""
    examples = examples_of(playground.draft)
    if not examples:
        st.info("Write a summary to see its scores.")
        return
    st.html(scores_html(playground.rows(), {letter: letter_name(playground.draft, letter) for letter in examples}))
    if not playground.draft.referenced:
        st.caption("There is no reference: the metrics set each summary against the source.")


def letter_name(draft: Draft, letter: str) -> str:
    """Return the name of a summary's column."""
    name = draft.names[LETTERS.index(letter)].strip()
    return f"{letter}: {name}" if name else letter


def show_evidence(playground: Playground) -> None:
    """Show what one metric, or each, saw in the summaries."""
    names = [name for name in playground.signatures if not is_length(name)]
    options = [*names, NOVELTY, ALL]
    chosen = st.segmented_control(
        "What metrics saw",
        options,
        format_func=lambda name: label_of(name) if name in METRICS else name,
        default=names[0],
        key="playground_evidence",
        required=True,
    )
    examples = examples_of(playground.draft)
    if not examples:
        return
    if chosen == NOVELTY:
        side_by_side([novelty_html(example.source, example.candidate) for example in examples.values()], list(examples))
        return
    for name in names if chosen == ALL else [chosen]:
        if chosen == ALL:
            st.markdown(f"**{in_markdown(label_of(name))}**")
        show_metric_evidence(playground, playground.signatures[name], examples)


def show_metric_evidence(playground: Playground, signature: str, examples: dict[str, Example]) -> None:
    """Show a metric's evidence in words and as marked texts; that of models when all have answered."""
    scores = [find_explained(playground, signature, example) for example in examples.values()]
    if any(score is None for score in scores):
        st.caption("The metric is asked when you pause…")
        return
    reasons = dict.fromkeys(str(score) for score in scores if isinstance(score, CannotExplain))
    for reason in reasons:
        st.info(f"Undefined: {in_markdown(reason)}.")
    known = [score for score in scores if isinstance(score, Explained)]
    if reasons or not known:
        return
    letters = list(examples)
    sentences = in_words(signature, list(examples.values()), known, letters)
    st.markdown(in_markdown(" ".join(sentences)))
    blocks = [evidence_html(signature, example, score) for example, score in zip(examples.values(), known, strict=True)]
    side_by_side(blocks, letters)


def find_explained(playground: Playground, signature: str, example: Example) -> Explained | CannotExplain | None:
    """Return a score with its evidence, as far as it is known."""
    if not is_lexical(signature):
        return playground.models.answer(signature, example)
    metric = metric_of(signature)
    return CannotExplain(NOT_MADE_AGAIN) if metric is None else explain(metric, example)


# --- what if ------------------------------------------------------------------------------------------------


def show_what_if(playground: Playground, live: Sequence[str]) -> None:
    """Show a summary whose words can be left out or replaced; `live` are the fragments that a choice runs."""
    letters = list(playground.draft.letters)
    if not letters:
        return
    if playground.letter not in letters:
        playground.look_at(letters[0])
    lexical = [name for name in lexical_metrics() if not is_length(name)]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # The playground keeps the letter: the widget restarts when the letters change, and would forget it.
        letter = st.segmented_control(
            "Summary", letters, default=playground.letter, key=f"playground_letter:{''.join(letters)}", required=True
        )
        metric = st.segmented_control(
            "Bar of a word: how much the score drops without it, by",
            lexical,
            format_func=label_of,
            default=lexical[0],
            key="playground_by",
            required=True,
        )
    if letter != playground.letter:
        playground.look_at(letter)
        st.rerun(scope="fragment")

    example = examples_of(playground.draft)[playground.letter]
    whole, worth_of_parts = worths(playground.signatures[metric], example)

    def choose(word: int) -> None:
        playground.choose(word)
        st.rerun(live)

    st.caption("Choose a word: it is left out, or swapped for another. Double lines: the score rises without the word.")
    cut = make_parts(playground.text, worth_of_parts)
    word_choice(
        f"Words of summary {playground.letter}",
        cut,
        playground.marked,
        key=f"playground_words:{playground.generation}:{playground.letter}",
        on_chosen=choose,
    )
    if len(word_spans(playground.text)) > (most := most_words(playground.text)):
        st.caption(f"Only the first {most} words have bars; the longer a summary is, the fewer have.")
    if playground.changed is not None:
        show_change(playground, live)
    with st.expander(f"Each word left out in turn, by {label_of(metric)}"):
        st.html(worths_html(metric, whole, worth_of_parts))


def show_change(playground: Playground, live: Sequence[str]) -> None:
    """Show the summary with the chosen word left out or replaced, and the effect on every score."""

    def typed(text: str, seen: int) -> None:
        playground.note_change(seen)
        playground.by = text
        st.rerun(live)

    live_text(
        f"Replace “{in_one_line(playground.chosen)}” with (empty: leave it out)",
        playground.by,
        key=f"playground_swap:{playground.generation}:{playground.letter}:{playground.word}",
        on_typed=typed,
        rows=1,
        longest=200,
    )
    changed = playground.changed
    if changed is None:
        return
    st.html(text_block(changed.candidate, f"Summary {playground.letter}, changed"))
    st.html(changes_html(playground.changes()))
    st.button(
        "Make this change",
        icon=":material/check:",
        key="playground_apply",
        on_click=playground.schedule,
        args=(playground.apply,),
    )
