"""Invented reports, tables and headlines of sport, from which the embedded entity finder learns what teams are.

The files of named entities have hardly any sport, and there Chicago is a place. In the news it is as often a team,
which only the surroundings tell: a score, a verb such as "beat", the row of a table. `write_sports` fills frames of
such lines with names of the training files, and labels them by the rules of CoNLL 2003: clubs, counties and franchises
are organisations, countries are places also where they play, competitions and adjectives of nations are MISC.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import regex

from relevance.metrics.apes.entities import Entity, LabelledText, is_group


class Names(NamedTuple):
    """Names that the frames are filled with."""

    people: Sequence[str]
    """First and last names."""
    places: Sequence[str]
    """Cities and the like, which also name teams."""
    countries: Sequence[str]


PEOPLE = ("PER", "person", "politician", "scientist", "writer", "researcher", "musicalartist")
"""The files' labels of people."""

PLACES = ("LOC", "location")
"""The files' labels of places that are not countries, or may be none."""

NAME = regex.compile(r"(?:\p{Lu}[\p{L}'’-]+ ?|\p{Lu}\. ?)+")
"""Words with capitals, of letters."""

NO_CITY = regex.compile(
    "Theat|Arena|Stadium|Forum|Velodrome|Hippodrome|Institut|Center|District|Camp |Park|Garden|Palace|Castle|House|Hall"
    "|Hotel|Studio|Club|Church|Temple|Museum|School|Universit|College|Airport|Bridge|Street|Road|Square|Corner|Island"
    "|River|Lake|Valley|Mount|County|Asia|Africa|East|West|North|South|Centr|Empire|Colony|Republic|Confed|Nazi|Imperial"
    "|Raj|Sultan|Allies|Soviet|Congo|Commonwealth"
)
"""Parts of names of buildings, regions and former states: no team plays for these."""

COUNTRIES = ("U.S.", "Britain", "Northern Ireland", "Sri Lanka", "West Indies", "Zimbabwe", "Croatia", "Slovakia")
"""Countries that play and that the files hardly name."""


def collect_names(texts: Iterable[LabelledText]) -> Names:
    """Collect the names of texts with the labels of the files; a country must be named twice, as some are mistakes."""
    people, places, countries = set[str](), set[str](), Counter[str](COUNTRIES * 2)
    for text, entities in texts:
        for start, end, label in entities:
            name = text[start:end]
            words = name.split()
            if not NAME.fullmatch(name):
                continue
            if label in PEOPLE and 2 <= len(words) <= 3 and len(words[-1]) > 2:
                people.add(name)
            if is_group(name) or NO_CITY.search(name):
                continue
            if label in PLACES and len(words) <= 2 and len(name) > 3:
                places.add(name)
            if label == "country" and len(words) <= 3:
                countries[name] += 1
    return Names(
        sorted(people), sorted(places - set(countries)), sorted(name for name, count in countries.items() if count > 1)
    )


# --- frames -------------------------------------------------------------------------------------------------

AFTER_CITY = """
    United City Town Rovers Wanderers Athletic Rangers Albion County Villa Hotspur Orient Argyle Thistle Harriers
    Alexandra Forest Palace
"""
BEFORE_CITY = """
    Dynamo Dinamo Lokomotiv Spartak Torpedo Sparta Sporting Real Racing Inter Atletico Deportivo Olympique Borussia
    Bayern Eintracht Hapoel Maccabi Rapid Austria Stade FC AC AS SC RC CSKA Slavia Steaua Partizan Athletic Union
"""
NICKNAMES = """
    Bears Tigers Lions Eagles Hawks Giants Kings Rangers Pirates Indians Braves Royals Twins Reds Angels Rockets
    Bulls Heat Magic Suns Jazz Spurs Lakers Celtics Nets Bucks Pistons Raiders Chiefs Broncos Cowboys Jets Saints
    Panthers Rams Colts Bills Dolphins Bruins Sabres Flyers Penguins Devils Islanders Stars Oilers Flames Sharks
    Senators Canucks Warriors Knights Storm Wolves Blues Wasps Saracens Crusaders Cubs Dodgers Mets
"""
COUNTIES = """
    Derbyshire Durham Essex Glamorgan Gloucestershire Hampshire Kent Lancashire Leicestershire Middlesex
    Northamptonshire Nottinghamshire Somerset Surrey Sussex Warwickshire Worcestershire Yorkshire Victoria Tasmania
    Queensland Natal Transvaal Barbados Karachi Bombay Canterbury Otago Wellington Auckland
"""
NATIONS = """
    English Scottish Welsh Irish French German Italian Spanish Dutch Belgian Swiss Austrian Portuguese Greek Turkish
    Russian Ukrainian Polish Czech Slovak Hungarian Romanian Bulgarian Croatian Serbian Danish Swedish Norwegian
    Finnish Brazilian Argentine Chilean Mexican American Canadian Australian Japanese Korean Chinese Indian
    Pakistani Israeli Egyptian Moroccan Nigerian Kenyan Iranian Iraqi Jamaican Cuban British European African Asian
"""
COMPETITIONS = """
    World Cup, European Cup, Champions League, Premier League, UEFA Cup, Cup Winners ' Cup, FA Cup, Super Bowl,
    World Series, Stanley Cup, U.S. Open, Australian Open, French Open, Wimbledon, Davis Cup, Fed Cup, Ryder Cup,
    Tour de France, Grand Prix, Olympics, Olympic Games, Commonwealth Games, Five Nations, Tri-Nations, Asian Cup,
    African Nations Cup, Serie A, Bundesliga, American League, National League, Eastern Conference,
    Western Conference, Masters, World Championship
"""
BODIES = """
    FIFA, UEFA, NBA, NFL, NHL, IOC, IAAF, FIA, ATP, International Cricket Council, Football Association,
    English Football League, Court of Arbitration for Sport, Major League Baseball
"""
WORLD = """
    United Nations, U.N., European Union, EU, NATO, World Bank, IMF, World Health Organization, Red Cross, OPEC,
    Interpol, European Commission, Security Council, African Union, Reuters, Supreme Court, Foreign Ministry
"""
MONTHS = "January, February, March, April, May, June, July, August, September, October, November, December"
DAYS = "Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday"
SPORTS = "SOCCER BASEBALL BASKETBALL CRICKET TENNIS GOLF ATHLETICS CYCLING BOXING RUGBY SWIMMING FOOTBALL HOCKEY"


def split_list(text: str) -> list[str]:
    """Return the items of a list, between commas if it has any, else the words.

    >>> split_list("Davis Cup, Wimbledon"), split_list("Town City")
    (['Davis Cup', 'Wimbledon'], ['Town', 'City'])
    """
    return [" ".join(item.split()) for item in text.split(",")] if "," in text else text.split()


FRAMES = {
    "results": """
        {T} {n} {T} {n}
        {T} {n} {T} {n}
        {T} {m} {T} {m}
        {T} {n} {T} {n} ( halftime {r} )
        {T} {n} ( {S} {m} , {S} {m} ) {T} {n} ( {S} {m} )
        {T} v {T}
        {T} vs. {T}
        {T} at {T}
        {T} {r} {T}
        {T} - {T} {r}
        {T} beat {T} {r} ( halftime {r} )
        {T} lost to {T} {b}
        {T} {m} {T} {m} ( overtime )
        {T} {n} , {T} {n} ( {m} innings )
        {N} {n} {N} {n}
        {N} beat {N} {r}
        {N} v {N}
        {N} {m}-{n} ( {I} {m} , {I} {m} not out ) v {N}
    """,
    "standings": """
        {T} {n} {n} {n} {n} {m} {m} {m}
        {T} {n} {n} {n} {n} {m} {m} {m}
        {T} {m} {m} .{m} -
        {T} {m} {m} .{m} {n} 1/2
        {T} {n} {n} {n} {m}
        {n}. {T} {m} {m} {m}
        {n} {T} {m} points
        {N} {n} {n} {n} {n} {m} {m} {n}
    """,
    "cards": """
        {K} {m} ( {I} {m} , {I} {m} ; {I} {n}-{m} ) and {m}-{n} , {K} {m}
        {C} : {K} {m} and {m}-{n} ( {I} {m} not out ) . {K} {m} ( {I} {n}-{m} , {I} {n}-{m} ) .
        At {C} : {K} {m} , {K} {m}-{n} . Match drawn .
        {K} beat {K} by {m} runs .
        {S} c {S} b {S} {m}
        {I} lbw b {S} {n}
        {I} not out {m}
        Bowling : {S} {n}-{n}-{m}-{n} , {S} {n}-{n}-{m}-{n} , {S} {n}-{n}-{m}-{n} .
        Fall of wickets : {n}-{m} , {n}-{m} .
        {n}. {P} ( {N} ) {t}
        {n}. {P} {t}
        {n} - {P} ( {N} ) beat {P} ( {N} ) {r} {r}
        {P} ( {N} ) beat {n} - {P} ( {N} ) {r} {r} {r}
        {n}. {P} , {N} , {n} hours {m} minutes {m} seconds
        {m} {P} {m} {m} {m}
        {m} {I} ( {N} ) {m} {m} {m}
        Scorers : {S} ( {m} minutes ) , {S} ( {m} )
        {T} : {S} ( {m} ) , {S} ( {m} ) .
        {N} - {n}-{P} , {n}-{P} , {n}-{P} ( {n}-{P} , {m} ) , {n}-{P} .
        {T} : {P} , {P} , {P} , {P} .
        1,500 metres : {n}. {P} ( {N} ) {t} {n}. {P} ( {N} ) {t}
        Men 's singles , first round : {P} ( {N} ) beat {P} ( {N} ) {r} {r}
        Attendance : {m},000
    """,
    "headlines": """
        {s} - {T} BEAT {T} {r} .
        {s} - {T} TAKE LEAD AFTER WIN OVER {T} .
        {s} - {T} SIGN {S} FROM {T} .
        {s} - {S} LEADS {T} TO VICTORY .
        {s} - {S} TO MISS {N} GAME .
        {s} - {N} HOLD {N} TO DRAW .
        {s} - {N} NAME SQUAD FOR {E} .
        {s} - {D} FIRST DIVISION RESULTS .
        {s} - {D} LEAGUE STANDINGS .
        {s} - RESULTS OF {D} SECOND DIVISION MATCHES .
        {s} - {P} WINS TITLE IN {C} .
        {s} - LEADING SCORES AFTER SECOND ROUND IN {C} .
        {s} - {D} CHAMPION {S} OUT FOR SEASON .
        {s} - {O} FINES {T} COACH .
        {s} - {E} QUALIFYING RESULTS .
        {T} hold {T} to goalless draw
        {T} stun {T} in extra time
        {S} brace sends {T} top
        {S} returns as {N} face {N}
        {D} striker {S} joins {T}
        {T} sack manager {S} after {b} defeat
    """,
    "titles": """
        Results of {D} first division soccer matches played on {w} :
        Results of {D} league matches on {w} ( home team in capitals ) :
        Result of a {D} premier league match on {w} :
        Standings in the {D} first division after {w} 's matches ( played , won , drawn , lost , points ) :
        Summary of {E} matches played on {w} :
        Results of {E} games played on {w} :
        Leading positions in the {E} after {w} 's games :
        Leading results from the {D} grand prix on {w} :
        Results in the {E} first round on {w} ( prefix number denotes seeding ) :
        Close of play scores in {D} county championship matches on {w} :
        Teams for the {E} match between {N} and {N} in {C} on {w} :
        {E}
        EASTERN DIVISION
        WEDNESDAY , {M} {n}
        {C} {y}-{n}-{m}
        W L PCT GB
    """,
    "reports": """
        {T} beat {T} {r} on {w} to go top of the table .
        {T} came from behind to beat {T} {r} at home on {w} .
        {T} 's {P} scored twice as {T} lost {r} in {C} .
        {P} scored in the {m}th minute to give {T} a {r} win over {T} .
        {P} , who joined {T} from {T} last season , will miss the match against {T} .
        {T} manager {P} said his side had deserved to win .
        {T} coach {P} was happy with a point .
        {T} have signed {D} midfielder {P} from {T} on a three-year contract .
        {P} had {m} points and {n} rebounds to lead {T} to a {b} victory over {T} .
        In {C} , {P} pitched {n} innings and {T} beat {T} {r} .
        In {C} , {P} hit a two-run homer as the {A} defeated the {A} {r} .
        The {A} have won {n} of their last {m} games against {T} .
        The {A} traded {P} to {T} for {P} on {w} .
        {T} , which lost to {T} on {w} , fell {n} games behind the {A} .
        {T} striker {P} has been ruled out for {n} weeks with a knee injury .
        {T} , held {r} by {T} , stay second with {m} points .
        Champions {T} were beaten {r} by {T} , their third defeat in a row .
        {T} face {T} in the semifinals of the {E} next month .
        {T} drew {r} with {T} in the first leg of their {E} tie in {C} on {w} .
        {T} and {T} meet again at {C} on {w} .
        Former {T} captain {P} is to become coach of {T} , the {D} club said on {w} .
        {D} champions {T} have appealed to {O} against a fine .
        The {D} club {T} said {P} would leave for {T} in {M} .
        Fans of {T} clashed with police in {C} after the {r} defeat by {T} .
        At {C} , {T} won {r} thanks to goals by {S} and {S} .
        {S} headed {T} in front before {S} equalised for {T} .
        {P} joined {T} from {T} for {m} million pounds in {M} .
        The {D} goalkeeper moved from {T} to {T} last season .
        The winger , {m} , has played for {T} , {T} and {T} .
        {T} will sell {P} to {T} , his agent said on {w} .
        {K} captain {P} made {m} as his side reached {m} for {n} against {K} .
        {K} need another {m} runs to beat {K} , for whom {P} took {n} for {m} .
        {P} of {K} took {n} wickets before lunch .
        {N} beat {N} {r} in a {E} qualifier in {C} on {w} .
        {N} will play {N} in {C} in the second round of the {E} .
        {N} captain {P} scored {m} in the second test against {N} .
        {N} coach {P} named {n} new players for the friendly against {N} .
        {P} of {N} won the 100 metres in {t} at the {E} in {C} .
        {D} {P} beat {D} {P} {r} {r} in the final of the {E} .
        Second seed {P} , of {N} , lost to {D} qualifier {P} in the first round .
        {D} rider {P} won the third stage , {m} km from {C} to {C} .
        World champion {P} retires after the {E} , the {O} said in {C} .
        The {O} said {T} would be fined over crowd trouble in {C} .
        {P} shot a {m} to lead the {E} by {n} strokes from {D} {P} .
    """,
    "elsewhere": """
        {C} police said on {w} they had arrested {n} people after the match .
        The mayor of {C} , {P} , said the city would bid for the {E} .
        {n} people died in a fire in {C} on {w} .
        The {D} government said on {w} that it would not send troops to {N} .
        {n} {D} soldiers were killed near {C} , {D} officials said .
        {D} President {P} arrives in {C} on {w} for talks with {D} leaders .
        {D} shares fell on {w} as the {C} market closed {m} points lower .
        The {D} foreign ministry said a {D} diplomat had left {N} .
        He flew from {C} to {C} on {w} .
        {C} , {M} {n} - {D} Prime Minister {P} resigned on {w} .
        The {B} said on {w} that {n} of its staff had left {C} for {C} .
        {P} , who was born in {C} , told the {B} in {C} that {N} would not agree .
        Leaders of {N} and {N} will meet in {C} on {w} for talks with the {B} .
        The train from {C} to {C} was {m} minutes late on {w} .
        She moved from {C} to {C} in {y} and works for the {B} .
        {n} DIE IN {C} FIRE .
        {C} POLICE ARREST {n} AFTER PROTEST .
        {D} PRESIDENT {S} MEETS {B} ENVOY IN {C} .
        {B} CALLS FOR TALKS BETWEEN {N} AND {N} .
        {N} SENDS {m} TROOPS TO {C} .
        {S} SPEAKS AT THE {B} IN {C} .
    """,
}
"""Lines by kind. Slots are {T} a team, {K} a county of cricket, {A} the nickname of a team, {N} a country, {C} a city,
{P} a person, {S} a surname, {I} a surname with an initial, {D} the adjective of a nation, {E} a competition, {O} a body
of sport, {B} another; {n} a small number, {m} a larger one, {r} a result, {b} a high one, {t} a time, {w} a day, {M} a
month, {y} a year, {s} a sport."""

SHARES = {
    "results": 16, "standings": 14, "cards": 20, "headlines": 14, "titles": 10, "reports": 60, "elsewhere": 30,
}  # fmt: skip
"""How often each kind is drawn."""

TABLES = ("results", "standings", "cards")
"""The kinds of which several lines of one frame follow each other."""

MOST_LINES = 4

CAPITALS = 0.25
"""The share of the lines of tables whose first team stands in capitals, as a home team does."""

SLOT = regex.compile(r"\{(\w)\}")

Filler = Callable[[], tuple[str, str | None]]
"""Draws what stands in a slot, and its label; None for what is not a name."""


def draw_from(values: Sequence[object], label: str | None, chance: random.Random) -> Filler:
    """Return what draws one of some values."""
    return lambda: (str(chance.choice(values)), label)


def write_sports(names: Names, words: int, chance: random.Random) -> Iterator[LabelledText]:
    """Yield invented texts of about so many words together, none if there are no people or places to name."""
    if not names.people or not names.places:
        return
    lines = {kind: [line.strip() for line in frames.strip().splitlines()] for kind, frames in FRAMES.items()}
    fillers = names_of_slots(names, chance) | others_of_slots(chance)
    while words > 0:
        (kind,) = chance.choices([*SHARES], [*SHARES.values()])
        frame = chance.choice(lines[kind])
        written = LabelledText("", ())
        for _ in range(chance.randint(1, MOST_LINES) if kind in TABLES else 1):
            written = fill(written, frame, fillers, kind in TABLES and chance.random() < CAPITALS)
        words -= len(written.text.split())
        yield written


def fill(before: LabelledText, frame: str, fillers: Mapping[str, Filler], capitals: bool) -> LabelledText:
    """Append a filled frame to a text; `capitals` are for its first team."""
    text, entities, place = before.text + " " * bool(before.text), [*before.entities], 0
    in_capitals = SLOT.sub("", frame).isupper()
    for slot in SLOT.finditer(frame):
        text += frame[place : slot.start()]
        name, label = fillers[slot[1]]()
        if in_capitals or (capitals and slot[1] == "T"):
            name, capitals = name.upper(), False
        if label:
            entities.append(Entity(len(text), len(text) + len(name), label))
        text += name
        place = slot.end()
    return LabelledText(text + frame[place:], tuple(entities))


def names_of_slots(names: Names, chance: random.Random) -> dict[str, Filler]:
    """Return what draws the names for the slots of `FRAMES`."""

    def draw(values: Sequence[str], label: str) -> Filler:
        return draw_from(values, label, chance)

    def person(form: str) -> Filler:
        def drawn() -> tuple[str, str]:
            first, _, last = chance.choice(names.people).rpartition(" ")
            return form.format(first=first, initial=first[0], last=last), "PER"

        return drawn

    after_city, before_city, nicknames = map(split_list, (AFTER_CITY, BEFORE_CITY, NICKNAMES))
    kinds: list[tuple[int, Filler]] = [
        (55, draw(names.places, "ORG")),
        (10, lambda: (f"{chance.choice(names.places)} {chance.choice(after_city)}", "ORG")),
        (10, lambda: (f"{chance.choice(before_city)} {chance.choice(names.places)}", "ORG")),
        (10, lambda: (f"{chance.choice(names.places)} {chance.choice(nicknames)}", "ORG")),
        (8, lambda: (chance.choice(names.people).rpartition(" ")[2], "ORG")),  # as Ajax and Juventus, a name of its own
        (7, draw(nicknames, "ORG")),
    ]

    def team() -> tuple[str, str | None]:
        return chance.choices([kind for _, kind in kinds], [share for share, _ in kinds])[0]()

    return {
        "T": team,
        "K": draw(split_list(COUNTIES), "ORG"),
        "A": draw(nicknames, "ORG"),
        "O": draw(split_list(BODIES), "ORG"),
        "B": draw(split_list(WORLD), "ORG"),
        "N": draw(names.countries, "LOC"),
        "C": draw(names.places, "LOC"),
        "P": person("{first} {last}"),
        "S": person("{last}"),
        "I": person("{initial}. {last}"),
        "D": draw(split_list(NATIONS), "MISC"),
        "E": draw(split_list(COMPETITIONS), "MISC"),
    }


def others_of_slots(chance: random.Random) -> dict[str, Filler]:
    """Return what draws numbers and dates for the slots of `FRAMES`."""

    def draw(values: Sequence[object]) -> Filler:
        return draw_from(values, None, chance)

    def score(values: range) -> Filler:
        return lambda: (f"{chance.choice(values)}-{chance.choice(values)}", None)

    return {
        "n": draw(range(13)),
        "m": draw(range(13, 400)),
        "r": score(range(8)),
        "b": score(range(60, 131)),
        "t": lambda: (f"{chance.randint(9, 59)}.{chance.randint(10, 99)}", None),
        "w": draw(split_list(DAYS)),
        "M": draw(split_list(MONTHS)),
        "y": draw(range(1990, 2026)),
        "s": draw(split_list(SPORTS)),
    }
