import pytest

from relevance.data.one_line import MOST, in_one_line, message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\n b\t\u2028c\r\n", "a b c"),
        ("\x1b[2J\x1b]0;x\x07", "[U+001B][2J[U+001B]]0;x[U+0007]"),
        ("a\x9b31mb\x7f\0", "a[U+009B]31mb[U+007F][U+0000]"),
        ("\u202eabc\u202c", "[U+202E]abc[U+202C]"),
        ("é 漢 👩‍👩 \u00a0x", "é 漢 👩‍👩 x"),
        (7, "7"),
    ],
)
def test_in_one_line(text, line):
    assert in_one_line(text) == line


def test_a_message_keeps_its_ends():
    short = "f.jsonl:7: " + "x" * (MOST - 11)
    assert message(short) == short
    cut = message(f"there is no data set '{'x' * 10_000}'\n; there are a, b")
    assert len(cut) == MOST + 3
    assert cut.startswith("there is no data set 'xxx")
    assert " … xxx" in cut
    assert cut.endswith("xxx' ; there are a, b")
