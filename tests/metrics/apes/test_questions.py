"""Questions: a sentence a mention, that mention blanked."""

from relevance.metrics.apes.questions import Mention, make_quiz

TYPES = ("person", "place")
TEXT = "Ann Lee met Bo in Oslo. Lee left. Oslo!"


def mentions(text: str, *names: tuple[str, str]) -> list[Mention]:
    result, start = [], 0
    for name, type in names:
        start = text.index(name, start)
        result.append(Mention((start, start + len(name)), type))
        start += len(name)
    return result


FOUND = mentions(TEXT, ("Ann Lee", "person"), ("Bo", "person"), ("Oslo", "place"), ("Lee", "person"), ("Oslo", "place"))


def test_every_mention_is_a_question_and_its_answer_an_entity():
    quiz = make_quiz([(TEXT, FOUND)], [], TYPES)
    assert [(a.question.text, a.question.answer, quiz.entities[a.entity].name) for a in quiz.questions] == [
        ("@placeholder met Bo in Oslo.", "Ann Lee", "Ann Lee"),
        ("Ann Lee met @placeholder in Oslo.", "Bo", "Bo"),
        ("Ann Lee met Bo in @placeholder.", "Oslo", "Oslo"),
        ("@placeholder left.", "Lee", "Ann Lee"),
        # "Oslo!" asks nothing: no word is left
    ]
    for question in quiz.questions:
        start, end = question.question.span
        assert TEXT[start:end] == question.question.answer


def test_only_the_types_asked_for():
    quiz = make_quiz([(TEXT, FOUND)], [], ("place",))
    assert [a.question.answer for a in quiz.questions] == ["Oslo"]
    assert [entity.name for entity in quiz.entities] == ["Oslo"]


def test_the_source_gives_candidates_but_no_questions():
    source = "Cy Young saw it."
    quiz = make_quiz([(TEXT, FOUND)], [(source, mentions(source, ("Cy Young", "person")))], TYPES)
    assert len(quiz.questions) == 4
    assert "Cy Young" in [entity.name for entity in quiz.entities]


def test_questions_of_several_references_are_pooled_and_know_where_they_are_from():
    other = "Bo went to Rome."
    quiz = make_quiz([(TEXT, FOUND), (other, mentions(other, ("Bo", "person"), ("Rome", "place")))], [], TYPES)
    assert [a.question.reference for a in quiz.questions] == [0, 0, 0, 0, 1, 1]
    bo = [quiz.entities[a.entity].name for a in quiz.questions if a.question.answer == "Bo"]
    assert bo == ["Bo", "Bo"]


def test_given_questions_take_the_place_of_those_made():
    given = [("@placeholder met Bo.", "Lee"), ("Who? @placeholder", "nobody known")]
    quiz = make_quiz([(TEXT, FOUND)], [], TYPES, given)
    assert [(a.question.text, quiz.entities[a.entity].name) for a in quiz.questions] == [
        ("@placeholder met Bo.", "Ann Lee"),
        ("Who? @placeholder", "nobody known"),
    ]
