"""The playground's session: texts, changes and what models answer, which is never about other texts."""

import threading
from collections.abc import Callable

import pytest

from relevance.data.records import Document, Example, Summary
from relevance.metrics import lexical_metrics, metric
from relevance.metrics.explained import CannotExplain, Explained
from relevance.metrics.from_signature import signatures
from relevance.metrics.registry import usual_metrics
from relevance.pages.components.playground.draft import (
    LETTERS,
    Draft,
    UnfitDraft,
    examples_of,
    from_records,
    to_records,
)
from relevance.pages.components.playground.live import told_text
from relevance.pages.components.playground.state import PAUSE, POLL, SOON, UNDOS, Playground
from tests.waiting import PATIENCE, until

DRAFT = Draft(("A storm hit the coast.", " "), "Storm", "", ("The storm hit.", "", "Rain fell."), ("", "", "rain"))
MODELS = [name for name in usual_metrics() if name not in lexical_metrics()]


class Answering:
    """Stands for the process of the models: a score is the number of the summary's letters, when it may speak."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, Example]] = []
        self.free = threading.Event()
        self.free.set()

    def explain(self, signature: str, example: Example, given_up: Callable[[], bool]) -> Explained:
        self.requests.append((signature, example))
        assert self.free.wait(PATIENCE)
        if signature.startswith("apes"):
            raise CannotExplain("no model")
        return Explained(float(len(example.candidate)), None, False, None)


def answered(playground: Playground) -> bool:
    playground.models.collect()
    return not playground.models.open


def shown(playground: Playground, name: str) -> dict[str, float | None]:
    (row,) = (row for row in playground.rows() if row.name == name)
    return {letter: value.value if isinstance(value, Explained) else None for letter, value in row.scores.items()}


# --- texts ---------------------------------------------------------------------------------------------------


def test_blank_texts_are_not_there() -> None:
    assert DRAFT.letters == "AC"
    assert examples_of(DRAFT)["C"] == Example("playground", "C", "Rain fell.", (DRAFT.references[0],), "Storm", "")
    assert examples_of(DRAFT._replace(title=" "))["A"].title is None
    assert DRAFT.systems() == {"A": "A", "C": "rain"}


def test_a_draft_as_records_and_back() -> None:
    document, summaries = to_records(DRAFT, "mine", {"A": 1.0, "C": 0.0}, "preference")
    assert document == Document("mine", "", (DRAFT.references[0],), "Storm")
    assert summaries == [
        Summary("mine", "A", "The storm hit.", {"preference": 1.0}),
        Summary("mine", "rain", "Rain fell.", {"preference": 0.0}),
    ]
    assert from_records(document, summaries).summaries == ("The storm hit.", "Rain fell.")
    with pytest.raises(UnfitDraft, match="no summary"):
        to_records(Draft(), "mine")


def test_more_and_fewer() -> None:
    draft = Draft()
    for _ in range(30):
        draft = draft.add_summary().add_reference()
    assert (len(draft.summaries), len(draft.names), len(draft.references)) == (4, 4, 12)
    for _ in range(30):
        draft = draft.drop_summary().drop_reference()
    assert draft == Draft(summaries=("",), names=("",))
    assert draft.put("summary", 7, "x") == draft


def test_what_a_browser_says() -> None:
    assert told_text(["a\0b\ud83d", 3], 10) == ("ab?", 3)
    assert told_text(["abcdef", 3.0], 4) == ("abcd", 3)
    for told in (None, "text", ["text"], [3, 3], ["text", "3"], {}):
        with pytest.raises(ValueError, match="its text and a number"):
            told_text(told, 10)


def test_fields_of_older_texts_are_not_heard() -> None:
    playground = Playground(DRAFT)
    playground.typed(0, "summary", 0, "new", 1)
    assert playground.draft.summaries[0] == "new"
    playground.lay(Draft())
    playground.typed(0, "summary", 0, "late", 2)
    assert (playground.draft, playground.seen) == (Draft(), 2)
    playground.take_back()
    assert playground.draft.summaries[0] == "new"
    playground.take_back()
    assert playground.draft == DRAFT
    generation = playground.generation
    playground.take_back()
    assert (playground.draft, playground.generation) == (DRAFT, generation)


def test_fields_whose_text_stays_are_heard_after_a_change() -> None:
    playground = Playground(DRAFT)
    playground.lay(DRAFT.add_summary().add_reference())
    playground.typed(0, "summary", 0, "The storm hit and", 1)
    assert playground.draft == DRAFT.add_summary().add_reference().put("summary", 0, "The storm hit and")
    # a field that went and one that came in its place are two
    began = playground.began("reference", 2)
    playground.typed(began, "reference", 2, "Waves.", 2)
    playground.lay(playground.draft.drop_reference())
    playground.lay(playground.draft.add_reference())
    playground.typed(began, "reference", 2, "Waves and wind.", 3)
    assert playground.draft.references == (*DRAFT.references, "")
    playground.choose(1)
    playground.apply()
    playground.typed(0, "title", 0, "Storms", 4)
    assert (playground.draft.summaries[0], playground.draft.title) == ("The hit and", "Storms")


def test_what_buttons_ask_for_waits_for_the_last_letters() -> None:
    # Streamlit calls a button that comes together with a field's message before the field.
    playground = Playground(DRAFT)
    playground.choose(1)
    playground.schedule(playground.apply)
    playground.typed(0, "summary", 0, "The storm hit the coast.", 1)
    playground.proceed()
    assert playground.draft.summaries[0] == "The hit the coast."
    playground.schedule(playground.take_back)
    playground.typed(playground.began("summary", 0), "summary", 0, "The hit the coast!", 2)
    playground.proceed()
    assert playground.draft.summaries[0] == "The hit the coast."
    playground.bring_back()
    assert playground.draft.summaries[0] == "The hit the coast!"
    playground.proceed()  # each step is taken once
    assert playground.draft.summaries[0] == "The hit the coast!"


def test_a_run_waits_for_a_step_that_the_run_before_still_takes() -> None:
    # Streamlit begins the run of a press while the one that it stopped goes on in another thread, and takes the step.
    playground, taken, released, drawn = Playground(DRAFT), threading.Event(), threading.Event(), list[Draft]()

    def step() -> None:
        taken.set()
        released.wait(PATIENCE)
        playground.lay(DRAFT.add_reference())

    def draw() -> None:
        playground.proceed()
        drawn.append(playground.draft)

    playground.schedule(step)
    stopped, next_run = threading.Thread(target=playground.proceed), threading.Thread(target=draw)
    stopped.start()
    assert taken.wait(PATIENCE)
    next_run.start()
    next_run.join(0.2)
    released.set()
    for run in (stopped, next_run):
        run.join(PATIENCE)
    assert drawn == [DRAFT.add_reference()]


def test_what_is_typed_without_a_pause_is_one_change() -> None:
    playground = Playground(DRAFT)
    for number, text in enumerate(("R", "Ra", "Rain"), 1):
        playground.typed(0, "summary", 0, text, number)
    playground.typed(0, "title", 0, "Rain", 4)  # another field
    playground.last_change -= PAUSE
    playground.typed(0, "title", 0, "Rain at night", 5)
    assert len(playground.past) == 3
    titles, summaries = [], []
    for _ in range(3):
        playground.take_back()
        titles.append(playground.draft.title)
        summaries.append(playground.draft.summaries[0])
    assert titles == ["Rain", "Storm", "Storm"]
    assert summaries == ["Rain", "Rain", "The storm hit."]
    for _ in range(3):
        playground.bring_back()
    assert (playground.draft.title, playground.draft.summaries[0]) == ("Rain at night", "Rain")


def test_after_something_new_there_is_nothing_to_bring_back() -> None:
    playground = Playground(DRAFT)
    playground.lay(DRAFT.add_reference())
    playground.take_back()
    playground.typed(playground.began("title", 0), "title", 0, "A slip", 1)
    assert not playground.future
    playground.take_back()
    playground.lay(DRAFT.drop_summary())
    playground.bring_back()
    assert playground.draft == DRAFT.drop_summary()


def test_typing_is_taken_back_by_words() -> None:
    playground = Playground(DRAFT._replace(title=""))
    text = "A storm hit"
    typed = [text[:end] for end in range(1, len(text) + 1)]
    for seen, part in enumerate([*typed, "A storm hi", "A storm "], 1):  # the last word is removed again
        playground.typed(0, "title", 0, part, seen)
    left = []
    while playground.past:
        playground.take_back()
        left.append(playground.draft.title)
    assert left == ["A storm hi", "A storm ", "A ", ""]
    playground.bring_back()
    playground.bring_back()
    assert playground.draft.title == "A storm "


def test_scores_tell_how_far_they_are_from_where_typing_began() -> None:
    playground = Playground(DRAFT)
    playground.rows()
    before = shown(playground, "rouge1")["A"]
    for number, text in enumerate(("The storm", "The storm hit the coast."), 1):
        playground.typed(0, "summary", 0, text, number)
        playground.rows()
    assert rested(playground)["A"] == before
    playground.last_change -= PAUSE
    between = shown(playground, "rouge1")["A"]
    playground.typed(0, "summary", 0, "The storm hit us.", 3)
    assert rested(playground)["A"] == between != before
    playground.lay(Draft(("a",), "", "", ("b",), ("",)))
    assert rested(playground) == {}


def rested(playground: Playground) -> dict[str, float]:
    (row,) = (row for row in playground.rows() if row.name == "rouge1")
    return dict(row.rested)


def test_so_many_changes_can_be_taken_back() -> None:
    playground = Playground(DRAFT)
    for number in range(UNDOS + 20):
        playground.lay(DRAFT._replace(title=str(number)))
    assert len(playground.past) <= UNDOS + 1


# --- a word ----------------------------------------------------------------------------------------------------


def test_a_word_is_chosen_swapped_and_changed() -> None:
    playground = Playground(DRAFT)
    assert playground.changed is None
    playground.choose(1)
    assert (playground.chosen, playground.marked) == ("storm", 1)
    assert playground.changed is not None
    assert playground.changed.candidate == "The hit."
    playground.by = "rain"
    changes = {change.name: change for change in playground.changes()}
    for name in lexical_metrics():
        before, after = examples_of(playground.draft)["A"], playground.changed
        values = [score.value for score in metric(name).score([before, after])]
        both = (changes[name].before, changes[name].after)
        assert [result.value for result in both if isinstance(result, Explained)] == values
    playground.apply()
    assert playground.draft.summaries[0] == "The rain hit."
    assert playground.changed is None
    playground.take_back()
    assert playground.draft == DRAFT


def test_no_metric_scores_what_is_left_of_a_single_word() -> None:
    playground = Playground(DRAFT.put("summary", 0, "storm"))
    playground.choose(0)
    assert playground.changed is not None
    assert playground.changed.candidate == ""
    after = [change.after for change in playground.changes() if change.name in lexical_metrics()]
    assert [(result.value, result.missing) for result in after if isinstance(result, Explained)] == [
        (None, "the summary is empty")
    ] * len(lexical_metrics())


def test_a_word_in_whose_place_another_has_come_is_not_chosen() -> None:
    playground = Playground(DRAFT)
    playground.choose(1)
    playground.typed(0, "summary", 0, "The storm hit us.", 1)
    assert playground.marked == 1
    playground.typed(0, "summary", 0, "Oh the storm hit.", 2)
    assert playground.changed is None
    playground.typed(0, "summary", 0, "", 3)
    assert (playground.changed, playground.changes()) == (None, [])
    for word in (-1, 99):
        playground.choose(word)
        assert playground.word is None


# --- models ------------------------------------------------------------------------------------------------------


def test_lexical_scores_are_there_at_once_and_models_later() -> None:
    playground, models = Playground(DRAFT), Answering()
    for name in lexical_metrics():
        scores = metric(name).score(list(examples_of(DRAFT).values()))
        assert shown(playground, name) == dict(zip("AC", [score.value for score in scores], strict=True))
    assert playground.want(False) == POLL
    playground.note_change(1)
    assert PAUSE * 0.5 < (playground.want(False) or 0) <= PAUSE
    assert not playground.due(models)  # type: ignore[arg-type]
    assert models.requests == []
    playground.last_change -= PAUSE
    models.free.clear()
    assert not playground.due(models)  # type: ignore[arg-type]
    assert playground.want(False) == POLL
    models.free.set()
    until(lambda: answered(playground))
    assert playground.due(models)  # type: ignore[arg-type]
    assert playground.want(False) is None
    assert shown(playground, "bertscore") == {"A": 14.0, "C": 10.0}
    (row,) = (row for row in playground.rows() if row.name == "apes")
    assert [str(result) for result in row.scores.values()] == ["no model", "no model"]
    assert len(models.requests) == len(MODELS) * 2


def test_without_a_reference_the_source_stands_for_one() -> None:
    playground, answering = Playground(DRAFT._replace(source="Rain fell, and the storm hit.")), Answering()
    referenced = shown(playground, "rouge1")
    playground.lay(playground.draft._replace(references=("", " ")))
    against = {name: metric(name, references="source") for name in usual_metrics()}
    assert playground.signatures == {name: value.signature for name, value in against.items()}
    for name in lexical_metrics():
        examples = examples_of(playground.draft)
        scores = against[name].score(list(examples.values()))
        assert shown(playground, name) == dict(zip(examples, [score.value for score in scores], strict=True))
    playground.want(what_if=False)
    playground.models.ask(answering)  # type: ignore[arg-type]
    until(lambda: answered(playground))
    assert {signature for signature, _ in answering.requests} == {against[name].signature for name in MODELS}
    assert shown(playground, "bertscore") == {"A": len("The storm hit."), "C": len("Rain fell.")}
    playground.lay(playground.draft._replace(source=" "))
    assert playground.signatures == signatures()
    playground.lay(DRAFT._replace(source="Rain fell, and the storm hit."))
    assert shown(playground, "rouge1") == referenced


def test_the_last_answer_is_drawn_wherever_it_is_collected() -> None:
    playground, models = Playground(DRAFT), Answering()
    playground.want(False)
    models.free.clear()
    assert not playground.due(models)  # type: ignore[arg-type]
    models.free.set()
    until(lambda: playground.models.job is not None and playground.models.job.over)
    # The page is drawn for another reason, and collects what no check has seen: one more check draws it below.
    assert playground.want(False) == SOON
    assert playground.due(models)  # type: ignore[arg-type]
    assert playground.want(False) is None


def test_an_answer_about_older_texts_is_never_shown() -> None:
    playground, models = Playground(DRAFT), Answering()
    models.free.clear()
    playground.want(False)
    playground.due(models)  # type: ignore[arg-type]
    until(lambda: len(models.requests) == 1)
    job = playground.models.job
    assert job is not None
    playground.typed(0, "summary", 0, "Another.", 1)
    assert playground.want(False) == SOON
    models.free.set()
    until(lambda: job.over)
    assert len(models.requests) == 1  # nobody wants the rest
    assert shown(playground, "bertscore") == {"A": None, "C": None}
    playground.behind, playground.last_change = False, 0.0
    playground.due(models)  # type: ignore[arg-type]
    until(lambda: answered(playground))
    assert shown(playground, "bertscore") == {"A": 8.0, "C": 10.0}


def test_what_is_known_is_not_asked_again() -> None:
    playground, models = Playground(DRAFT), Answering()
    playground.want(False)
    playground.due(models)  # type: ignore[arg-type]
    until(lambda: answered(playground))
    models.requests.clear()
    playground.choose(1)
    playground.want(True)
    playground.due(models)  # type: ignore[arg-type]
    until(lambda: answered(playground))
    assert [(signature, example.candidate) for signature, example in models.requests] == [
        (signatures()[name], "The hit.") for name in MODELS
    ]
    assert set(playground.models.kept) == set(playground.models.wanted)
    playground.want(False)
    assert len(playground.models.kept) == len(MODELS) * len(playground.draft.letters)
    assert LETTERS.startswith("AB")
