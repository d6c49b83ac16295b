"""The lines of keys: every key that `tomllib` finds has one, and it is the one where a reader sees the key."""

import time
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from relevance.annotation.protocol.places import KeyTooLong, Path, find_lines

TEXT = '''# a study
format = 1 # sampling = 2
"odd = \\"key\\"" = 'literal # no comment'
instructions = """
[sampling]
seed = 1 \\""" still
"""""
sampling.seed = 3
inline = { one = [1, { two = "}" }], 'three.four'.five = """
""" }

[training] # a table
pass_mark = 1
when = 2026-01-01 10:00:00Z
[[training.pairs]]
document = \'\'\'
[[training.pairs]]
document = \'\'\'\'\'
better = [ # why
  "a", "]",
]

[[ training . "pairs" ]]
document = "last"\r
[training.pairs.more]
x = nan
'''


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every path of a value of TOML."""
    if path:
        yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in entries:
        yield from paths(item, (*path, key))


def test_the_lines_of_a_text_that_looks_like_what_it_is_not() -> None:
    lines = find_lines(TEXT)
    assert set(lines) == set(paths(tomllib.loads(TEXT)))
    expected = {
        ("format",): 2,
        ('odd = "key"',): 3,
        ("sampling",): 8,
        ("sampling", "seed"): 8,
        ("inline", "one", 1, "two"): 9,
        ("inline", "three.four", "five"): 9,
        ("training", "pass_mark"): 13,
        ("training", "pairs"): 15,
        ("training", "pairs", 0, "document"): 16,
        ("training", "pairs", 0, "better", 1): 20,
        ("training", "pairs", 1): 23,
        ("training", "pairs", 1, "more", "x"): 26,
    }
    assert {path: lines[path] for path in expected} == expected


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)
VALUES = st.recursive(
    st.one_of(st.booleans(), st.integers(-9, 9), st.floats(allow_nan=False), st.text(max_size=12), st.datetimes()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_every_key_has_a_line(document: dict[str, Any]) -> None:
    text = tomlkit.dumps(document)
    assert set(find_lines(text)) == set(paths(tomllib.loads(text)))


@given(st.text("[]{}=.,#\"'\\ab1 \n\t", max_size=40))
def test_what_is_no_toml_does_not_break_it_and_what_is_has_lines(text: str) -> None:
    lines = find_lines(text)
    try:
        answer = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(lines) == set(paths(answer))


def test_what_takes_tomllib_long_is_refused_before() -> None:
    with pytest.raises(KeyTooLong) as refused:
        find_lines(f"x = 1\n{'a.' * 100_000}a = 1")
    assert refused.value.line == 2


@pytest.mark.parametrize("text", ['x = """', "x = '''" + "'" * 9, "x = " + "[" * 9, "x = 1 #", '"', "[", " ", "# "])
def test_long_texts_take_time_by_their_length(text: str) -> None:
    began = time.process_time()
    find_lines((text + "a\n ") * (1_000_000 // len(text)))
    assert time.process_time() - began < 20  # a second, or hours
