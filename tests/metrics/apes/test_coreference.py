"""Names: which mentions are one entity, and where a text has them."""

import pytest

from relevance.metrics.apes.coreference import find_names, group


def grouped(*mentions: tuple[str, str]) -> list[str]:
    return [entity.name for entity in group(mentions)[0]]


@pytest.mark.parametrize(
    ("mentions", "entities"),
    [
        ([("Townsend", "person"), ("Andros Townsend", "person")], ["Andros Townsend"]),
        ([("ANDROS TOWNSEND", "person"), ("Andros Townsend", "person")], ["ANDROS TOWNSEND"]),
        ([("Bolton", "organisation"), ("Bolton Wanderers", "organisation")], ["Bolton Wanderers"]),
        ([("NFL", "organisation"), ("National Football League", "organisation")], ["National Football League"]),
        ([("Tottenham's", "organisation"), ("Tottenham", "organisation")], ["Tottenham's"]),
        ([("Gordon", "person"), ("Mr Gordon", "person"), ("Billy Gordon", "person")], ["Billy Gordon"]),
        # another type is another thing
        ([("Washington", "place"), ("George Washington", "person")], ["George Washington", "Washington"]),
        # a name that could be short for two stands for itself
        (
            [("Paul", "person"), ("Paul Merson", "person"), ("Paul Scholes", "person")],
            ["Paul Merson", "Paul Scholes", "Paul"],
        ),
        ([("the", "place"), ("...", "person")], []),
    ],
)
def test_mentions_of_one_entity(mentions, entities):
    assert grouped(*mentions) == entities


def test_each_mention_has_its_entity():
    entities, owners = group([("Merson", "person"), ("Paul Merson", "person"), ("Turin", "place")])
    assert [entities[owners[mention]].name for mention in owners] == ["Paul Merson", "Paul Merson", "Turin"]


def places(text: str, *mentions: tuple[str, str]) -> dict[str, list[str]]:
    entities, _ = group(mentions)
    return {entities[i].name: [text[a:b] for a, b in spans] for i, spans in find_names(text, entities).items()}


def test_names_are_found_in_any_case_and_in_part():
    text = "paul merson's row with TOWNSEND: Townsend scored for England in turin , not New England ."
    assert places(
        text,
        ("Paul Merson", "person"),
        ("Andros Townsend", "person"),
        ("England", "place"),
        ("Turin", "place"),
        ("New England", "place"),
    ) == {
        "Paul Merson": ["paul merson"],
        "Andros Townsend": ["TOWNSEND", "Townsend"],
        "England": ["England"],
        "Turin": ["turin"],
        "New England": ["New England"],
    }  # the longer name wins its words


def test_a_last_name_of_two_people_is_nobodys():
    assert places("Clinton spoke .", ("Bill Clinton", "person"), ("Hillary Clinton", "person")) == {}
    assert places("Bill Clinton spoke .", ("Bill Clinton", "person"), ("Hillary Clinton", "person")) == {
        "Bill Clinton": ["Bill Clinton"]
    }


def test_a_name_does_not_run_over_a_comma_or_the_end_of_a_sentence():
    names = ("Kia Oval Pietersen", "place"), ("St Louis", "place")
    assert places("at the KIA Oval . Pietersen left Kia Oval, Pietersen said", *names) == {}
    assert places("in St. Louis .", *names) == {"St Louis": ["St. Louis"]}


def test_abbreviations_with_and_without_points_are_one_name():
    assert grouped(("U.S.", "place"), ("US", "place")) == ["U.S."]
    assert places("the US and the U.S. agree", ("U.S.", "place")) == {"U.S.": ["US", "U.S."]}


def test_a_pronoun_is_no_country():
    assert places("it told us that may help", ("US", "place"), ("Theresa May", "person")) == {}
    assert places("the US told May", ("US", "place"), ("Theresa May", "person")) == {
        "US": ["US"],
        "Theresa May": ["May"],
    }


def test_part_of_a_word_is_no_name():
    assert places("the artist started", ("Art", "person")) == {}


def test_possessives_and_accents_keep_their_places():
    assert places("Müller’s goal, İpek's too", ("Müller", "person"), ("İpek", "person")) == {
        "Müller": ["Müller"],
        "İpek": ["İpek"],
    }
