"""Files made wrong at random, by a seed: what every reader of files must take or refuse in one line."""

import random
from collections.abc import Iterator

NASTY = [
    *(b"\0", b"\n", b"\r\n", b"\n\n\n", b"\t", b",", b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b":", b" ", b"@"),
    *(b"\xff", b"\xfe\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\xc3", b"\xf0\x9f\x98", "\u2028".encode(), b"\x1b[2J"),
    *(
        b"NaN",
        b"-Infinity",
        b"1e999",
        b"-1",
        b"0",
        b"1_0",
        b"9" * 25,
        b"9" * 5000,
        b"null",
        b"true",
        b'""',
        b"[]",
        b"{}",
    ),
    *(b"\\u0000", b"\\ud800", b'"id"', b"human.", b"@placeholder", b"@entity1", "é".encode("latin-1"), "٤".encode()),
    *(b"[" * 2000, b'{"a":' * 2000, b"x" * 300, b"PAR1", b"\x7f\xff\xff\xff", b"\x80" * 9),
]
"""What a field, a line or a number might be that nobody expects."""


def mutations(samples: list[bytes], count: int, seed: int) -> Iterator[bytes]:
    """Files that differ from the samples in one to four places, or are cut short; each draw is another."""
    chance = random.Random(seed)
    for _ in range(count):
        content = bytearray(chance.choice(samples))
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            mutate(content, chance)
        yield bytes(content)


def mutate(content: bytearray, chance: random.Random) -> None:
    """Change a file in one place."""
    start = chance.randrange(len(content) + 1)
    end = min(len(content), start + chance.choice((0, 1, 1, 2, 4, 8, 30, 200)))
    match chance.randrange(7):
        case 0:
            content[start:end] = chance.choice(NASTY)
        case 1:
            content[start:start] = chance.choice(NASTY)
        case 2:
            del content[start:end]
        case 3:
            content[start:start] = content[start:end]
        case 4 if start < len(content):
            content[start] ^= 1 << chance.randrange(8)
        case 5:
            del content[start:]
        case _:
            lines = bytes(content).split(b"\n")
            first, second = (chance.randrange(len(lines)) for _ in range(2))
            lines[first] = lines[second]
            content[:] = b"\n".join(lines)
