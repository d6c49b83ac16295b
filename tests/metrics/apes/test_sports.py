"""Invented sport, from which the entity finder learns what teams are."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relevance.metrics.apes.entities import Entity, LabelledText
from relevance.metrics.apes.entity_tagger import Tagger
from relevance.metrics.apes.sports import (
    FRAMES,
    SHARES,
    SLOT,
    Names,
    collect_names,
    names_of_slots,
    others_of_slots,
    write_sports,
)
from relevance.metrics.apes.training import names_in

NAMES = Names(["Ann Lee", "Bo Ek", "Juan Carlos Ortiz"], ["Leeds", "Porto", "St. Louis"], ["Chile", "Sri Lanka"])


@given(st.integers(0, 2**32), st.integers(1, 400))
def test_entities_are_whole_words_in_order(seed: int, words: int) -> None:
    texts = list(write_sports(NAMES, words, random.Random(seed)))
    for text, entities in texts:
        assert [*entities] == sorted(entities)
        for start, end, label in entities:
            assert text[start:end] == text[start:end].strip() != ""
            assert label in {"PER", "ORG", "LOC", "MISC"}
            assert not text[end : end + 1].isalnum()
            assert not text[:start][-1:].isalnum()
        assert all(first.end < second.start for first, second in pairwise(entities))
        assert "{" not in text
    counts = [len(text.split()) for text, _ in texts]
    assert sum(counts[:-1]) < words <= sum(counts)


def test_countries_that_play_are_places_and_cities_that_play_are_teams() -> None:
    labels: dict[str, set[str]] = {}
    for text, entities in write_sports(NAMES, 20_000, random.Random(0)):
        for start, end, label in entities:
            labels.setdefault(text[start:end].title(), set()).add(label)
    assert labels["Chile"] == labels["Sri Lanka"] == {"LOC"}
    assert labels["Leeds"] == labels["Porto"] == {"ORG", "LOC"}
    assert labels["Ann Lee"] == labels["B. Ek"] == {"PER"}
    assert labels["Fifa"] == {"ORG"}
    assert labels["World Cup"] == labels["Brazilian"] == {"MISC"}
    assert any(name.startswith("Dynamo ") for name in labels)


def test_the_same_seed_invents_the_same() -> None:
    first, second, other = (list(write_sports(NAMES, 500, random.Random(seed))) for seed in (1, 1, 2))
    assert first == second != other


@pytest.mark.parametrize("names", [NAMES._replace(people=[]), NAMES._replace(places=[])])
def test_nothing_is_invented_without_names(names: Names) -> None:
    assert not list(write_sports(names, 500, random.Random(0)))


def test_each_slot_can_be_filled_and_each_kind_is_drawn() -> None:
    chance = random.Random(0)
    fillers = names_of_slots(NAMES, chance) | others_of_slots(chance)
    assert {slot for frames in FRAMES.values() for slot in SLOT.findall(frames)} == set(fillers)
    assert set(FRAMES) == set(SHARES)


def test_names_are_those_that_could_play() -> None:
    def labelled(*named: tuple[str, str]) -> LabelledText:
        text = " ".join(name for name, _ in named)
        return LabelledText(text, tuple(Entity(*span(text, name), label) for name, label in named))

    def span(text: str, name: str) -> tuple[int, int]:
        return text.index(name), text.index(name) + len(name)

    names = collect_names(
        [
            labelled(("Ada Lovelace", "scientist"), ("Turing", "scientist"), ("Leeds", "LOC"), ("Ghana", "country")),
            labelled(("Hyde Park", "location"), ("Irish", "location"), ("Ghana", "country"), ("Atlantis", "country")),
            labelled(("ghost town", "location"), ("Jean-Luc Godard", "PER"), ("São Paulo", "LOC"), ("R2D2", "PER")),
        ]
    )
    assert names.people == ["Ada Lovelace", "Jean-Luc Godard"]
    assert names.places == ["Leeds", "São Paulo"]
    assert "Ghana" in names.countries
    assert "Atlantis" not in names.countries


def test_held_out_names_are_not_used(shared_data: Path) -> None:
    names = names_in(shared_data / "ner")
    assert [len(part) for part in names] == [3228, 888, 97]  # as the model card's weights were trained with


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("{} beat {} 92-86 on Tuesday to move into second place.", "ORG"),
        ("{} 3 {} 1", "ORG"),
        ("SOCCER - {} LOSE TO {} .", "ORG"),
        ("The striker joined {} from {} last season.", "ORG"),
        ("He flew from {} to {} on Tuesday.", "LOC"),
        ("The motorway between {} and {} was closed after an accident.", "LOC"),
    ],
)
@pytest.mark.parametrize("cities", [("Chicago", "Boston"), ("Leeds", "Barcelona")])
def test_what_a_place_names_is_told_from_its_surroundings(text: str, label: str, cities: tuple[str, str]) -> None:
    written = text.format(*(city.upper() if text.startswith("SOCCER") else city for city in cities))
    by_name = {written[start:end].title(): kind for start, end, kind in Tagger().find([written])[0]}
    assert [by_name.get(city) for city in cities] == [label, label]
