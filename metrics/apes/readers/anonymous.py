"""Texts with numbers for entities, so that a reader answers from the text and not from its knowledge of a name."""

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import regex

from relevance.data.importers.question import MARKER, QuestionFile
from relevance.metrics.apes.base import BLANK, ReadingTask
from relevance.metrics.text import find_words

Token = str | int
"""A lower-case word, `BLANK`, or the number of an entity."""

# The corpus has the tokens of the Penn Treebank ("do n't"). Tokens joined by spaces give the same tokens
# again, so that the corpus and a running text are read alike.
WORD = regex.compile(
    r"\p{L}+?(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b"
    r"|\p{N}+(?:[.,:]\p{N}+)+|[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:-[\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*|\S"
)


class Cloze(NamedTuple):
    """A passage and a question; entities are numbered from 0 in order of occurrence, the passage's first.

    Entity numbers mean nothing beyond their example; numbering by occurrence is section 4.1 of Chen et al. 2016.
    """

    passage: tuple[Token, ...]
    question: tuple[Token, ...]


def tokenize(text: str) -> list[str]:
    """Return a text's lower-case tokens. None of them is `BLANK`."""
    return find_words(text.replace("’", "'"), WORD)


def cloze_from_file(file: QuestionFile) -> tuple[Cloze, int | None]:
    """Return a question of the corpus and its answer's entity, None if the passage does not mention it."""
    passage = tuple(tokenize_markers(file.passage))
    question = tuple(in_question(file.question, tokenize_markers))
    cloze, numbers = number_entities(passage, question)
    answer = int(file.answer.removeprefix("@entity"))
    return cloze, numbers[answer] if answer in passage else None


def tokenize_markers(text: str) -> Iterator[Token]:
    """Yield the tokens of a text that has @entityN for entities."""
    for index, part in enumerate(MARKER.split(text)):
        yield from [int(part)] if index % 2 else tokenize(part)


def cloze_from_task(task: ReadingTask) -> tuple[Cloze, tuple[tuple[int, ...], ...]]:
    """Return a task with its candidates as entities, and the passage's token for each of their mentions.

    In the question, an entity is a candidate's name or the text of one of its mentions, in either case of letters. If
    mentions overlap, the passage has all of their entities, one after the other.
    """
    passage: list[Token] = []
    places = [[0] * len(candidate.mentions) for candidate in task.candidates]
    mentions = [(span, c, m) for c, (_, spans) in enumerate(task.candidates) for m, span in enumerate(spans)]
    end = 0
    for (start, stop), candidate, mention in sorted(mentions):
        passage += tokenize(task.summary[end:start])  # nothing where the mentions overlap
        places[candidate][mention] = len(passage)
        passage.append(candidate)
        end = max(end, stop)
    passage += tokenize(task.summary[end:])
    forms: dict[str, int] = {}
    for index, (name, spans) in enumerate(task.candidates):
        for form in (name, *(task.summary[start:stop] for start, stop in spans)):
            forms.setdefault(form.strip().casefold(), index)
    question = tuple(in_question(task.question, lambda text: tokenize_names(text, forms)))
    cloze, _ = number_entities(tuple(passage), question)
    return cloze, tuple(map(tuple, places))


def tokenize_names(text: str, forms: dict[str, int]) -> Iterator[Token]:
    """Yield the tokens of a text with entities for some case-folded forms, longer ones first."""
    longest = sorted(filter(None, forms), key=len, reverse=True)
    pattern = regex.compile(r"(?<!\w)(?:\L<forms>)(?!\w)", regex.IGNORECASE | regex.FULLCASE, forms=longest)
    end = 0
    for match in pattern.finditer(text):
        if match.group().casefold() in forms:
            yield from tokenize(text[end : match.start()])
            yield forms[match.group().casefold()]
            end = match.end()
    yield from tokenize(text[end:])


def in_question(text: str, tokens: Callable[[str], Iterable[Token]]) -> Iterator[Token]:
    """Yield the tokens of a question and its blank."""
    for index, part in enumerate(text.split(BLANK)):
        yield from [BLANK] if index else []
        yield from tokens(part)


def number_entities(passage: tuple[Token, ...], question: tuple[Token, ...]) -> tuple[Cloze, dict[int, int]]:
    """Number the entities by their first occurrence; also return the new number of each old one."""
    entities = dict.fromkeys(token for token in chain(passage, question) if isinstance(token, int))
    numbers = {entity: number for number, entity in enumerate(entities)}

    def renamed(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
        return tuple(numbers[token] if isinstance(token, int) else token for token in tokens)

    return Cloze(renamed(passage), renamed(question)), numbers
