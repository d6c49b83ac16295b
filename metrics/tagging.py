"""Parts of speech of English words in lower case, by the tagger of spaCy's en_core_web_sm, computed with numpy.

The tagger comes along in `english_tagger.safetensors`; `ENGLISH_TAGGER.md` says where it is from and how far its tags
are spaCy's. A word is four hashed features and whether a space follows; four convolutions look at four words on either
side (Miranda et al. 2022, Multi hash embeddings in spaCy).
"""

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

WEIGHTS = Path(__file__).with_name("english_tagger.safetensors")

Floats = NDArray[np.float32]

CONTEXT = 4
"""The number of words on either side that a tag depends on, one for each convolution."""
STRETCH = 2000
"""The number of words that are read together, which bounds the memory."""
WIDTH, PIECES = 96, 3
"""The numbers that a word becomes, and the alternatives of which a layer takes the largest."""

FIRST_SEED = 8
"""The seed by which the first feature is hashed."""

LOW_BITS = 0xFFFFFFFF
ALL_BITS = 0xFFFFFFFFFFFFFFFF


@cache
def network() -> tuple[Mapping[str, Floats], tuple[str, ...]]:
    """Return the tagger's arrays by name, in single precision, and its tags."""
    from safetensors import safe_open

    with safe_open(WEIGHTS, "numpy") as file:
        arrays = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        return arrays, tuple(file.metadata()["tags"].split(" "))


def find_tags(words: Sequence[str], spaces: Sequence[bool]) -> list[str]:
    """Return the part of speech of each word and mark of a text, such as VBG or NN of the Penn Treebank.

    `words` are in lower case, and `spaces` says after which of them white space follows.

    >>> find_tags(["the", "training", "of", "gans"], [True, True, True, False])
    ['DT', 'NN', 'IN', 'NNS']
    """
    tags: list[str] = []
    for start in range(0, len(words), STRETCH):
        first, last = max(0, start - CONTEXT), min(len(words), start + STRETCH + CONTEXT)
        end = min(len(words), start + STRETCH)
        with thread_pools().limit(limits=1, user_api="blas"):  # two wait for each other, as the products are small
            tags += tag_stretch(words[first:last], spaces[first:last])[start - first : end - first]
    return tags


@cache
def thread_pools() -> ThreadpoolController:
    """Return what limits the threads of matrix products, which is found once."""
    return ThreadpoolController()


def tag_stretch(words: Sequence[str], spaces: Sequence[bool]) -> list[str]:
    """Return the tags of words that are read together."""
    arrays, tags = network()
    after = space_rows()
    rows = np.stack([word_row(word) + after[space] for word, space in zip(words, spaces, strict=True)])
    states = np.zeros((len(words) + 2 * CONTEXT, WIDTH), np.float32)
    states[CONTEXT:-CONTEXT] = normalize_largest(rows, 0)
    edge = np.zeros((1, WIDTH), np.float32)
    for layer in range(1, CONTEXT + 1):
        around = np.concatenate([edge, states, edge])
        windows = np.concatenate([around[:-2], around[1:-1], around[2:]], axis=1)
        states = states + normalize_largest(windows @ arrays[f"W{layer}"], layer)
    best = (states[CONTEXT:-CONTEXT] @ arrays["W"] + arrays["b"]).argmax(axis=1)
    return [tags[place] for place in best]


def normalize_largest(rows: Floats, layer: int) -> Floats:
    """Return the largest of the alternatives, which lie side by side, normalized over each row: shape (n, 96)."""
    arrays, _ = network()
    largest = (rows + arrays[f"b{layer}"]).reshape(len(rows), PIECES, WIDTH).max(axis=1)
    centred = largest - largest.mean(axis=1, keepdims=True)
    variance = np.einsum("ij,ij->i", centred, centred)[:, None] / WIDTH
    return np.asarray(centred / np.sqrt(variance + 1e-8) * arrays[f"G{layer}"] + arrays[f"o{layer}"], np.float32)


@lru_cache(1 << 13)
def word_row(word: str) -> Floats:
    """Return what a word adds to the first layer: itself, its first letter, its last three, and its shape."""
    features = (word, word[:1], word[-3:], shape(word))
    rows = [project(number, murmur_64a(feature.encode())) for number, feature in enumerate(features)]
    return np.asarray(sum(rows), np.float32)


@cache
def space_rows() -> tuple[Floats, Floats]:
    """Return what a word adds to the first layer without, and with, white space after it."""
    return project(4, 0), project(4, 1)


def project(feature: int, value: int) -> Floats:
    """Return what the value of a feature adds to the first layer: by the sum of the four rows of its hash."""
    arrays, _ = network()
    table = arrays[f"E{feature}"]
    row = sum(table[part % len(table)] for part in murmur_128(value, FIRST_SEED + feature))
    return np.asarray(row @ arrays["W0"][feature * WIDTH : (feature + 1) * WIDTH], np.float32)


def shape(word: str) -> str:
    """Return a word's shape: `x` for letters, `d` for digits, other characters as they are, at most four in a row."""
    if len(word) >= 100:
        return "LONG"
    kinds = ["x" if letter.isalpha() else "d" if letter.isdigit() else letter for letter in word]
    return "".join(kind for place, kind in enumerate(kinds) if place < 4 or kinds[place - 4 : place] != [kind] * 4)


# --- hashes (Appleby, MurmurHash; public domain) ----------------------------------------------------------------------


def murmur_64a(data: bytes) -> int:
    """Return MurmurHash64A of some bytes with the seed 1, by which spaCy numbers strings."""
    factor = 0xC6A4A7935BD1E995
    value = (1 ^ len(data) * factor) & ALL_BITS
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        part = int.from_bytes(data[start : start + 8], "little") * factor & ALL_BITS
        value = (value ^ (part ^ part >> 47) * factor & ALL_BITS) * factor & ALL_BITS
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * factor & ALL_BITS
    value = (value ^ value >> 47) * factor & ALL_BITS
    return value ^ value >> 47


def murmur_128(number: int, seed: int) -> tuple[int, int, int, int]:
    """Return the four 32-bit parts of MurmurHash3 x64 128 of an eight-byte number."""
    first = number * 0x87C37B91114253D5 & ALL_BITS
    first = (first << 31 | first >> 33) * 0x4CF5AD432745937F & ALL_BITS
    second = seed ^ 8
    first = (first ^ seed ^ 8) + second & ALL_BITS
    second = second + first & ALL_BITS
    first, second = mix(first), mix(second)
    first = first + second & ALL_BITS
    second = second + first & ALL_BITS
    return first & LOW_BITS, first >> 32, second & LOW_BITS, second >> 32


def mix(value: int) -> int:
    """Return the finalizer of MurmurHash3 for 64 bits."""
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53):
        value = (value ^ value >> 33) * factor & ALL_BITS
    return value ^ value >> 33
