"""The state of the playground in one session: texts, the selected word, and the models' answers."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace

from relevance.data.records import Example
from relevance.metrics import is_lexical, metric
from relevance.metrics.background.explaining import Inspector
from relevance.metrics.base import score_candidates
from relevance.metrics.explained import Explained
from relevance.metrics.from_signature import signatures
from relevance.metrics.registry import usual_options
from relevance.pages.components.evidence.model_scores import ModelScores
from relevance.pages.components.playground.draft import Draft, Field, examples_of, list_fields
from relevance.pages.components.playground.score_table import Change, MetricScores, ShownScore
from relevance.pages.components.playground.what_if import swap_word, word_spans
from relevance.pages.components.shared.score_table import LETTERS

PAUSE = 0.8
"""Seconds without a key press before the models are asked."""

SOON = 0.05
"""Seconds between drawing the scores and what is below them: a browser that draws both at once is slow with both."""

POLL = 0.25
"""Seconds between two checks for the models' answers."""

UNDOS = 200
"""The number of changes that can be undone."""


class Playground:
    """One session's playground."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.generation = 0
        """A number that grows whenever texts come from elsewhere than the fields."""
        self.begun: dict[tuple[Field, int], int] = {}
        """The generation in which a field was made; those that are missing here were made in the first."""
        self.steps: list[Callable[[], None]] = []
        """The steps asked for by buttons, to be taken once all fields have reported."""
        self.stepping = threading.Lock()
        self.seen = 0
        """The number of the last message from a field."""
        self.turn = 0
        """A number that grows whenever the scores are drawn."""
        self.last_change = 0.0
        """The time of the last typing or choice, by the monotonic clock."""
        self.behind = False
        """True while what is below the scores shows older texts."""
        self.models = ModelScores()
        self.answered = 0
        self.shown: dict[tuple[str, str], float] = {}
        """The scores on the page, by metric and letter."""
        self.rested: dict[tuple[str, str], float] = {}
        """The scores on the page before the current typing, from which changes are counted."""
        self.typing: tuple[Field, int] | None = None
        """The field that is being typed in; None after anything else."""
        self.past: list[Draft] = []
        """Texts that `take_back` restores, the latest last."""
        self.future: list[Draft] = []
        """Texts that `bring_back` restores, the next one last."""
        self.letter = LETTERS[0]
        self.word: int | None = None
        self.chosen = ""
        """The chosen word itself: once another word is in its place, none is chosen."""
        self.by = ""
        """The replacement of the word."""
        self.also: tuple[str, ...] = ()
        """The metrics of libraries that are shown, too."""

    # --- the texts ---------------------------------------------------------------------------------------

    def typed(self, began: int, field: Field, place: int, text: str, seen: int) -> None:
        """Take the text of a field of the generation `began`, unless another field has replaced it.

        A word that is typed, removed or pasted with others is one change to undo; so is what follows a pause.
        """
        stopped = time.monotonic() - self.last_change >= PAUSE
        self.note_change(seen)
        self.behind = True
        if began != self.began(field, place):
            return
        draft, before = self.draft.put(field, place, text), list_fields(self.draft).get((field, place), "")
        begins = stopped or self.typing != (field, place)
        if draft != self.draft and (begins or len(text.split()) != len(before.split())):
            self.past = [*self.past[-UNDOS:], self.draft]
            self.future = []
        if draft != self.draft and begins:
            self.rested = self.rested | self.shown  # models may still have been computing at this stop
            self.typing = (field, place)
        self.draft = draft

    def began(self, field: Field, place: int) -> int:
        """Return the generation in which a field was made."""
        return self.begun.get((field, place), 0)

    def note_change(self, seen: int) -> None:
        """Note that something was typed, so that the models wait."""
        self.seen, self.last_change = seen, time.monotonic()

    def schedule(self, step: Callable[[], None]) -> None:
        """Schedule a step for the next `proceed`.

        If a button is pressed right after typing, Streamlit calls the button before it reports the last letters of the
        field.
        """
        self.steps.append(step)

    def proceed(self) -> None:
        """Take the steps scheduled by buttons, as all fields have reported by now.

        A run of the page that was stopped may still take the step of a press that began the next run. That run waits
        here until the step is complete: otherwise it would draw the older texts.
        """
        with self.stepping:
            steps, self.steps = self.steps, []
            for step in steps:
                step()

    def lay(self, draft: Draft) -> None:
        """Replace the texts."""
        if draft != self.draft:
            self.past = [*self.past[-UNDOS:], self.draft]
            self.future = []
        self.show(draft)

    def take_back(self) -> None:
        """Undo the last replacement of the texts."""
        if self.past:
            self.future.append(self.draft)
            self.show(self.past.pop())

    def bring_back(self) -> None:
        """Redo what `take_back` undid."""
        if self.future:
            self.past.append(self.draft)
            self.show(self.future.pop())

    def show(self, draft: Draft) -> None:
        """Restart the fields whose text changed; the others keep what is being typed in them."""
        self.generation += 1
        old, new = list_fields(self.draft), list_fields(draft)
        self.begun |= {place: self.generation for place, text in new.items() if old.get(place) != text}
        self.draft = draft
        self.word = None
        self.typing = None
        self.shown, self.rested = {}, {}

    # --- the chosen word ---------------------------------------------------------------------------------

    def choose(self, word: int) -> None:
        """Select a word of the chosen summary; selecting it again deselects it."""
        spans = word_spans(self.text)
        known = 0 <= word < len(spans) and word != self.marked
        self.by = ""
        self.word, self.chosen = (word, self.text[slice(*spans[word])]) if known else (None, "")

    def look_at(self, letter: str) -> None:
        """Choose another summary."""
        if letter != self.letter:
            self.letter, self.word = letter, None

    @property
    def text(self) -> str:
        """The summary whose words can be chosen."""
        place = LETTERS.index(self.letter)
        return self.draft.summaries[place] if place < len(self.draft.summaries) else ""

    @property
    def marked(self) -> int | None:
        """The number of the chosen word, unless another word is in its place by now."""
        spans = word_spans(self.text)
        if self.word is None or self.word >= len(spans):
            return None
        return self.word if self.text[slice(*spans[self.word])] == self.chosen else None

    @property
    def changed(self) -> Example | None:
        """The summary with the chosen word left out or replaced; None if no word is chosen."""
        example, word = examples_of(self.draft).get(self.letter), self.marked
        if example is None or word is None:
            return None
        return replace(example, candidate=swap_word(self.text, word_spans(self.text)[word], self.by.strip()))

    def apply(self) -> None:
        """Make that change in the texts."""
        if (changed := self.changed) is not None:
            self.lay(self.draft.put("summary", LETTERS.index(self.letter), changed.candidate))

    # --- the scores --------------------------------------------------------------------------------------

    @property
    def signatures(self) -> dict[str, str]:
        """The signature of each metric, by its name: against the source where there is no reference."""
        return signatures(referenced=self.draft.referenced, also=self.also)

    def find_scores(self, name: str, signature: str, examples: dict[str, Example]) -> dict[str, ShownScore | None]:
        """Return a metric's scores by letter, without their evidence; those of a model as far as they are known."""
        if not is_lexical(name):
            return {letter: self.models.answer(signature, example) for letter, example in examples.items()}
        made = metric(name, **usual_options(referenced=self.draft.referenced))
        return {
            letter: Explained(score.value, score.missing, score.truncated, None)
            for letter, score in zip(examples, score_candidates(made, list(examples.values())), strict=True)
        }

    def rows(self) -> list[MetricScores]:
        """Return every metric's scores of the summaries; those of models as far as they are known."""
        examples = examples_of(self.draft)
        rows = []
        for name, signature in self.signatures.items():
            rested = {letter: value for (of, letter), value in self.rested.items() if of == signature}
            rows.append(MetricScores(name, signature, self.find_scores(name, signature, examples), rested))
        for row in rows:
            for letter, score in row.scores.items():
                if isinstance(score, Explained) and score.value is not None:
                    self.shown[row.signature, letter] = score.value
                elif score is not None:
                    self.shown.pop((row.signature, letter), None)
        return rows

    def changes(self) -> list[Change]:
        """Return every metric's scores of the chosen summary before and after the change; none without a change."""
        before, after = examples_of(self.draft).get(self.letter), self.changed
        if before is None or after is None:
            return []
        both = {"before": before, "after": after}
        changes = []
        for name, signature in self.signatures.items():
            scores = self.find_scores(name, signature, both)
            changes.append(Change(name, scores["before"], scores["after"]))
        return changes

    def want(self, what_if: bool) -> float | None:
        """Request the models' scores; return the seconds until the next check, or None if all are known."""
        examples = list(examples_of(self.draft).values())
        if what_if and (changed := self.changed) is not None and changed.candidate.strip():
            examples.append(changed)
        requests = [(s, example) for name, s in self.signatures.items() if not is_lexical(name) for example in examples]
        self.models.want(requests)
        self.turn += 1
        if self.behind:
            return SOON
        if not self.models.open:
            # Answers that came in with `want` are not drawn below yet, and no other check would draw them.
            return SOON if self.models.collect() != self.answered else None
        return POLL if self.models.going_on else max(POLL, PAUSE - (time.monotonic() - self.last_change))

    def due(self, inspector: Inspector) -> bool:
        """Ask the models if nothing was typed for a while; tell whether what is below must be drawn again."""
        if time.monotonic() - self.last_change >= PAUSE - SOON:
            self.models.ask(inspector)
        before, self.answered = self.answered, self.models.collect()
        return self.behind or self.answered != before
