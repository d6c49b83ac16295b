"""The embedded entity finder: a small tagger on the frozen encoder, trained by `relevance.metrics.apes.training`.

A word is described by the encoder's token vectors, by its shape (as the encoder reads lower case) and by hashes of its
first and last letters; a bidirectional LSTM with a linear-chain CRF (Lample et al. 2016, section 2) gives it a BIO tag.
See MODEL_CARD.md beside this file.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from relevance.data.files import sha256
from relevance.metrics.apes.entities import Entity, FinderUnavailable
from relevance.metrics.models.encoder import shared_encoder
from relevance.metrics.models.files import EMBEDDED
from relevance.metrics.text import Span

if TYPE_CHECKING:
    import torch

    from relevance.metrics.models.encoder import Encoded

FILE = Path(__file__).parent / "tagger.safetensors"
SHA256 = "22edffa3038c67a821ac196ae84b59c1ef9de57fa669f65b6a1a439710548dc3"
"""The SHA-256 of the published `FILE`."""

LABELS = ("PER", "ORG", "LOC", "MISC")
TAGS = ("O", *(f"{place}-{label}" for label in LABELS for place in "BI"))
LAYERS = (1, 3, 5)
"""The hidden layers that the head reads: no deeper than BERTScore does, so that one pass of the encoder serves both."""
SOURCES = ("crossner", "wikigold", "wnut17", "btc")
"""The sources of training sentences, which the head is told because their conventions differ."""
FOLLOWED = (2 / 3, 1 / 3, 0.0, 0.0)
"""The mixture of sources whose conventions it follows when it tags; chosen on development data, see the model card."""
FORMAT = "relevance-tagger-1"

ENCODER_WIDTH = 384
WIDTH = 192
STATES = 128
HASHES = 2048
WINDOW = 200
"""The number of words of a text that are tagged together: their word pieces nearly always fit the encoder."""
BATCH = 64
"""The number of stretches that are tagged at once, those of similar length together."""

# Words as in the training files: punctuation and possessive 's are words; inner hyphens, apostrophes and
# the full stops of U.S. and J. are not. Lengths are bounded so that every word fits the encoder.
WORD = regex.compile(
    r"""(?<![\p{L}\p{M}\p{N}])(?:\p{L}\.){1,20}(?:\p{L}(?![\p{L}\p{M}\p{N}]))?
    | ['’](?:s|ll|re|ve|d|m|t)(?![\p{L}\p{N}])
    | [\p{L}\p{N}][\p{L}\p{M}\p{N}]{0,49}
      (?:(?:[-‐‑&]|['’](?!(?:s|ll|re|ve|d|m)(?![\p{L}\p{N}]))|(?<=\p{N})[.,](?=\p{N}))[\p{L}\p{N}][\p{L}\p{M}\p{N}]{0,49}){0,4}
    | \S""",
    regex.VERBOSE | regex.IGNORECASE,
)


class WordFeatures(NamedTuple):
    """Consecutive words that the head reads at once."""

    spans: list[Span]
    """Their spans in the text that the encoder reads."""
    shapes: list[tuple[float, ...]]
    """Their `SHAPES` features."""
    hashes: list[tuple[int, int]]
    """The hashes of their first and last letters, in [0, HASHES)."""


def split_words(text: str) -> list[Span]:
    """Return the spans of the words and signs of a text."""
    return [match.span() for match in WORD.finditer(text)]


@lru_cache(1 << 16)
def shape(word: str) -> tuple[float, ...]:
    """Return the features of a word's form."""
    letters = [character for character in word if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    return tuple(
        map(
            float,
            (
                word[0].isupper(),
                1 < capitals == len(letters),
                1 == capitals == len(letters),
                bool(letters) and not capitals,
                capitals < len(letters) and any(character.isupper() for character in word[1:]),
                word.isdigit(),
                word.isdigit() and len(word) == 4,  # a year
                not word.isdigit() and any(character.isdigit() for character in word),
                "-" in word[1:],
                "." in word[1:],
                word[0] in "'’" and len(word) > 1,
                not any(character.isalnum() for character in word),
                word in "\"“”‘’'`",
                word in ".!?",
                word in ",;:()[]",
                min(len(letters), 20) / 10,
            ),
        )
    )


@lru_cache(1 << 16)
def hashes(word: str) -> tuple[int, int]:
    """Return hashes of the first and the last three letters."""
    return zlib.crc32(f"<{word[:3]}".encode(errors="surrogatepass")) % HASHES, zlib.crc32(
        f"{word[-3:]}>".encode(errors="surrogatepass")
    ) % HASHES


def describe(text: str, spans: list[Span]) -> WordFeatures:
    """Describe words by their own form and that of the words around them."""
    words = [text[start:end] for start, end in spans]
    alphabetic = [word for word in words if word[0].isalpha()]
    capitalised = sum(word[0].isupper() for word in alphabetic) / max(1, len(alphabetic))
    longer = [word for word in alphabetic if len(word) > 1]
    upper = sum(word.isupper() for word in longer) / max(1, len(longer))
    # how much capital letters mean here
    around = (capitalised, upper, float(capitalised == 0), float(capitalised > 0.7))
    return WordFeatures(
        spans,
        [(*shape(word), float(first), *around) for word, first in zip(words, firsts(words), strict=True)],
        [hashes(word) for word in words],
    )


SHAPES = len(shape("x")) + 5


def firsts(words: Iterable[str]) -> Iterator[bool]:
    """Tell for each word whether it begins a sentence, by full stops and quotes."""
    first = True
    for word in words:
        yield first
        first = word in ".!?" or (first and not word[0].isalnum())


# --- the head -----------------------------------------------------------------------------------------------


@cache
def head_class() -> type[Any]:
    """Return the head, a `torch.nn.Module`; it is made here so that torch is loaded only on use."""
    import torch
    from torch import nn

    class Head(nn.Module):
        """A network from vectors and features of words to scores of tags."""

        def __init__(self) -> None:
            super().__init__()
            self.vectors = nn.Linear(2 * len(LAYERS) * ENCODER_WIDTH, WIDTH)
            self.norm = nn.LayerNorm(WIDTH)
            self.first = nn.Embedding(HASHES, 16)
            self.last = nn.Embedding(HASHES, 16)
            self.source = nn.Embedding(len(SOURCES), 8)
            for table in (self.first, self.last):
                nn.init.normal_(table.weight, std=0.1)
            self.lstm = nn.LSTM(WIDTH + SHAPES + 2 * 16 + 8, STATES, bidirectional=True, batch_first=True)
            self.tags = nn.Linear(2 * STATES, len(TAGS))
            self.transitions = nn.Parameter(torch.zeros(len(TAGS), len(TAGS)))
            self.dropout = nn.Dropout(0.3)
            self.input_dropout = nn.Dropout(0.2)

        def forward(self, batch: Batch) -> torch.Tensor:
            """Return scores of shape (texts, words, tags)."""
            vectors = nn.functional.gelu(self.norm(self.vectors(self.input_dropout(batch.vectors))))
            letters = torch.cat([self.first(batch.hashes[..., 0]), self.last(batch.hashes[..., 1])], -1)
            source = (batch.sources @ self.source.weight)[:, None].expand(-1, vectors.shape[1], -1)
            inputs = torch.cat([self.dropout(vectors), batch.shapes, self.dropout(letters), source], -1)
            # packed, so that no text depends on the padding of others
            packed = nn.utils.rnn.pack_padded_sequence(inputs, batch.sizes, batch_first=True, enforce_sorted=False)
            states, _ = nn.utils.rnn.pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
            scores: torch.Tensor = self.tags(self.dropout(states))
            return scores

    return Head


class Batch(NamedTuple):
    """Windows of words for the head, padded to the longest."""

    vectors: torch.Tensor
    """The vectors of each word's first and last token, shape (texts, words, 2 x layers x encoder width)."""
    shapes: torch.Tensor
    """The features of form, shape (texts, words, SHAPES)."""
    hashes: torch.Tensor
    """The hashes of letters, shape (texts, words, 2)."""
    sources: torch.Tensor
    """The shares of the sources, shape (texts, SOURCES)."""
    sizes: torch.Tensor
    """The number of words of each text, shape (texts,)."""


def collate(rows: Sequence[tuple[torch.Tensor, WordFeatures]], sources: Sequence[Sequence[float]]) -> Batch:
    """Make a batch of windows; `rows` have the vectors of `word_vectors` and the words, `sources` the shares."""
    import torch

    def pad(tensors: list[torch.Tensor]) -> torch.Tensor:
        return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True)

    return Batch(
        pad([vectors.float() for vectors, _ in rows]),
        pad([torch.tensor(words.shapes) for _, words in rows]),
        pad([torch.tensor(words.hashes) for _, words in rows]),
        torch.tensor(sources),
        torch.tensor([len(words.spans) for _, words in rows]),
    )


def word_vectors(encoded: Encoded, spans: list[Span]) -> torch.Tensor:
    """Return vectors of each word's first and last token, all `LAYERS` side by side: (words, 2 x layers x width).

    A word that the encoder's tokenizer drops, such as a lone combining mark, gets zeros.
    """
    import torch

    layers = torch.cat([encoded.vectors[layer] for layer in LAYERS], -1)
    padded = torch.cat([layers, layers.new_zeros(1, layers.shape[1])])
    nothing = len(layers)
    places = [[nothing, nothing] for _ in spans]
    word = 0
    for token, (start, end) in enumerate(encoded.spans):
        while word < len(spans) and spans[word][1] <= start:
            word += 1
        if word == len(spans):
            break
        if start < end and end > spans[word][0]:
            places[word] = [token if places[word][0] == nothing else places[word][0], token]
    return padded[torch.tensor(places)].flatten(1)


@cache
def allowed_transitions() -> torch.Tensor:
    """Return scores of transitions, shape (tags + 1, tags): 0 if allowed, else very low; the last row is the start."""
    import torch

    rows = [*TAGS, "O"]
    with torch.inference_mode(False):  # kept, so it must serve training too
        return torch.tensor([[0.0 if tag[0] != "I" or row[1:] == tag[1:] else -1e4 for tag in TAGS] for row in rows])


def best_tags(scores: torch.Tensor, sizes: Sequence[int], transitions: torch.Tensor) -> list[list[int]]:
    """Return the best sequence of tags for each text (Viterbi), from scores of shape (texts, words, tags)."""
    import torch

    steps = transitions + allowed_transitions()[:-1]
    best = scores[:, 0] + allowed_transitions()[-1]
    history, states = [], [best]
    for place in range(1, scores.shape[1]):
        value, origin = (best[:, :, None] + steps).max(1)
        best = value + scores[:, place]
        history.append(origin)
        states.append(best)
    origins = torch.stack(history, 1).tolist() if history else [[] for _ in sizes]
    paths = []
    for text, size in enumerate(sizes):
        path = [int(states[size - 1][text].argmax())]
        for place in range(size - 2, -1, -1):
            path.append(origins[text][place][path[-1]])
        paths.append(path[::-1])
    return paths


def entities_of(tags: Iterable[int], spans: Iterable[Span], offset: int = 0) -> Iterator[Entity]:
    """Yield the entities that the words' tags mark."""
    current: Entity | None = None
    for number, (start, end) in zip(tags, spans, strict=True):
        tag = TAGS[number]
        if tag[0] == "I" and current is not None:
            current = current._replace(end=offset + end)
            continue
        if current is not None:
            yield current
        current = Entity(offset + start, offset + end, tag[2:]) if tag[0] == "B" else None
    if current is not None:
        yield current


# --- the finder ---------------------------------------------------------------------------------------------


class Tagger:
    """A finder of entities with the embedded encoder and a trained head, by default the package's own.

    Raises `FinderUnavailable` on first use if the head's file is missing or wrong.
    """

    def __init__(self, file: Path = FILE) -> None:
        self.file = file
        self.encoder = shared_encoder()
        self.encoder.want(LAYERS)

    @cached_property
    def signature(self) -> str:
        """The hash of the head's file, and the signature of the encoder."""
        return f"{EMBEDDED}@{check_head_file(self.file)[:8]}@{self.encoder.signature}"

    @cached_property
    def head(self) -> Any:
        """The head, ready to tag."""
        return load_head(self.file)

    def find(self, texts: Sequence[str]) -> list[list[Entity]]:
        """Return the entities of each text: PER, ORG, LOC and MISC by the conventions of CoNLL 2003, cased or not."""
        by_text: dict[str, list[Entity]] = {text: [] for text in texts}
        waiting = [stretch for text in by_text for stretch in cut_stretches(text, split_words(text), WINDOW)]
        while waiting:
            waiting.sort(key=lambda stretch: len(stretch.spans))
            batch, waiting = waiting[-BATCH:], waiting[:-BATCH]
            encoded = self.encoder.encode([stretch.part for stretch in batch], LAYERS)
            whole = []
            for stretch, vectors in zip(batch, encoded, strict=True):
                if vectors.truncated and len(stretch.spans) > 1:  # words of many pieces, such as Chinese
                    spans = [(start + stretch.offset, end + stretch.offset) for start, end in stretch.spans]
                    waiting += cut_stretches(stretch.text, spans, len(spans) // 2)
                else:
                    whole.append((stretch, vectors))
            for stretch, entities in self.tag(whole):
                by_text[stretch.text] += entities
        return [sorted(by_text[text]) for text in texts]

    def tag(self, batch: Sequence[tuple[Stretch, Encoded]]) -> Iterator[tuple[Stretch, list[Entity]]]:
        """Tag encoded stretches, and yield each with its entities."""
        import torch

        if not batch:
            return
        rows = [
            (word_vectors(encoded, stretch.spans), describe(stretch.part, stretch.spans)) for stretch, encoded in batch
        ]
        with torch.inference_mode():
            scores = self.head(collate(rows, [FOLLOWED] * len(rows)))
            tags = best_tags(scores, [len(stretch.spans) for stretch, _ in batch], self.head.transitions)
        for (stretch, _), path in zip(batch, tags, strict=True):
            entities = entities_of(path, stretch.spans, stretch.offset)
            # a name has a letter or digit; emoji, rare in training, have none
            yield stretch, [e for e in entities if any(c.isalnum() for c in stretch.text[e.start : e.end])]


class Stretch(NamedTuple):
    """A part of a text whose words are tagged together."""

    text: str
    offset: int
    """The start of the part in the text."""
    part: str
    """The text that the encoder reads."""
    spans: list[Span]
    """The spans of the words, in characters of the part."""


def cut_stretches(text: str, spans: list[Span], size: int) -> Iterator[Stretch]:
    """Cut a text's words into stretches of at most `size` words, between sentences where possible."""
    if 0 < len(spans) <= size and spans == split_words(text):
        # uncut, because other metrics have the encoder read this very text
        yield Stretch(text, 0, text, spans)
        return
    while spans:
        ends = [end for end in range(max(1, size // 2), min(size, len(spans))) if ends_sentence(text, spans, end)]
        end = ends[-1] if ends and len(spans) > size else min(size, len(spans))
        start, stop = spans[0][0], spans[end - 1][1]
        yield Stretch(text, start, text[start:stop], [(a - start, b - start) for a, b in spans[:end]])
        spans = spans[end:]


def ends_sentence(text: str, spans: list[Span], word: int) -> bool:
    """Tell whether a sentence or line ends before a word."""
    (start, end), (following, _) = spans[word - 1], spans[word]
    return text[start:end] in ".!?" or "\n" in text[end:following]


def load_head(file: Path) -> Any:
    """Return a trained head, ready to tag. Raises `FinderUnavailable` if the file is not one of this version."""
    import torch
    from safetensors import SafetensorError, safe_open

    check_head_file(file)
    head = head_class()()
    try:
        with safe_open(file, framework="pt") as opened:
            about = json.loads((opened.metadata() or {}).get("about", "{}"))
            weights = {name: opened.get_tensor(name).to(torch.float32) for name in opened.keys()}  # noqa: SIM118
        if about.get("format") != FORMAT:
            raise FinderUnavailable(f"{file} is not a tagger of the format {FORMAT}: train a new one")
        head.load_state_dict(weights)
    except (SafetensorError, RuntimeError) as error:
        raise FinderUnavailable(f"{file} does not hold a tagger of this version: {error}") from error
    return head.eval()


@cache
def check_head_file(file: Path) -> str:
    """Return the SHA-256 of a head's file. Raises `FinderUnavailable` if it is missing, or not as published."""
    try:
        actual = sha256(file)
    except FileNotFoundError as error:
        raise FinderUnavailable(f"{file} is missing: reinstall this package, or train a tagger") from error
    if file == FILE and actual != SHA256:
        raise FinderUnavailable(f"{file} has the SHA-256 {actual}, not {SHA256}: reinstall this package")
    return actual
