"""Word vectors, by which CAROUGE compares words."""

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice, takewhile
from pathlib import Path
from typing import BinaryIO, Protocol

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from relevance.data.files import sha256, write_whole
from relevance.data.reading import MAX_DIGITS, FileLine, lines, quote_value
from relevance.data.records import BadRecord
from relevance.metrics.models.encoder import Encoder, shared_encoder

LAYER = 5
"""The hidden layer of `EncoderVectors`: the one of BERTScore, so that no text is encoded for another one."""

WORDS = 1 << 16
"""The number of word vectors that `EncoderVectors` keeps: 100 MB of the embedded encoder's."""

CACHE_VARIABLE = "RELEVANCE_CACHE"

FORMAT = "1"
"""The version in the names of cached files; it changes whenever files of vectors are read differently."""

SETTLED = 2.0
"""The seconds after which a file's times show every further change: the clock tick of the coarsest file system
(FAT)."""

EXPECTED = "a line must be a word and its numbers, with one space between them"

FoundVectors = tuple[NDArray[np.float32], NDArray[np.bool_]]
"""The vectors, a row for each word and 0 for unknown words; and a flag for each word that has one."""


class WordVectors(Protocol):
    """The interface of word vectors."""

    @property
    def signature(self) -> str:
        """Everything that the vectors depend on, without `|`, as it is part of the metric's signature."""

    @property
    def stand_in(self) -> str | None:
        """The word whose vector is meant for words without one; None if there is no such word."""

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""

    def vectors(self, words: Sequence[str]) -> FoundVectors:
        """Return the vectors of words, of shape (words, dimension), and a flag for each word that has one."""


class EncoderVectors:
    """Word vectors of an encoder: the mean of the vectors of a word's pieces when it is encoded alone.

    `layer` is the hidden layer. A word that the encoder's vocabulary cannot spell has no vector, since all such words
    would have the same one. The encoder is loaded with the first word.
    """

    stand_in = None

    def __init__(self, encoder: Encoder | None = None, layer: int = LAYER) -> None:
        self.encoder = shared_encoder() if encoder is None else encoder
        self.layer = layer
        self.kept: dict[str, NDArray[np.float32] | None] = {}

    @property
    def signature(self) -> str:
        """The signature of the encoder, and the layer."""
        return f"{self.encoder.signature}@layer{self.layer}"

    @cached_property
    def dimension(self) -> int:
        """The number of components of a vector; loads the encoder."""
        (encoded,) = self.encoder.encode(["word"], [self.layer])
        return int(encoded.vectors[self.layer].shape[1])

    def vectors(self, words: Sequence[str]) -> FoundVectors:
        """Return vectors as in `WordVectors`. Raises `ModelUnavailable`."""
        by_word = {word: self.kept[word] for word in words if word in self.kept}
        by_word |= self.read([word for word in dict.fromkeys(words) if word not in by_word])
        matrix = np.zeros((len(words), self.dimension), np.float32)
        known = np.zeros(len(words), np.bool_)
        for row, word in enumerate(words):
            vector = by_word[word]
            if vector is not None:
                matrix[row], known[row] = vector, True
        return matrix, known

    def read(self, words: Sequence[str]) -> dict[str, NDArray[np.float32] | None]:
        """Encode words and keep their vectors, dropping the oldest."""
        read: dict[str, NDArray[np.float32] | None] = {}
        for word, encoded in zip(words, self.encoder.encode(words, [self.layer]), strict=True):
            unknown = self.encoder.tokenizer.unk_token_id
            pieces = [
                place
                for place, (token, special) in enumerate(zip(encoded.ids, encoded.special, strict=True))
                if not special and token != unknown
            ]
            read[word] = encoded.vectors[self.layer][pieces].mean(dim=0).numpy() if pieces else None
        self.kept |= read
        for word in list(islice(self.kept, max(0, len(self.kept) - WORDS))):
            del self.kept[word]
        return read


class FileVectors:
    """The vectors of a text file, GloVe (a word and its numbers per line) or word2vec (after a line `count dimension`).

    The first use of a file reads it into the cache folder, later ones map that copy into memory; the folder may be
    emptied at any time. If a word occurs twice, its first line counts. Words may have spaces in them, as some of
    GloVe's do: the last columns of a line are its numbers.

    Raises `BadRecord` for a file that cannot be read, naming the line, and then leaves nothing in the cache.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        path, folder = Path(path), cache_folder() / "vectors"
        if not path.is_file():
            raise BadRecord(f"{path}: there is no such file of word vectors")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # The noted hash of a file saves hashing a large one at each start.
            note = folder / f"{hashlib.sha256(os.fsencode(path.resolve())).hexdigest()}.json"
            now = read_stamp(path)
            settled = max(now[-2:]) / 1e9 < time.time() - SETTLED
            noted = read_note(note, now)
            digest = noted or sha256(path)
            if (loaded := load_vectors(folder, digest)) is None:
                convert(path, folder, digest)
                loaded = load_vectors(folder, digest)
            if settled and not noted:
                with suppress(OSError):
                    write_whole(note, [json.dumps({"stamp": now, "sha256": digest})])
        except OSError as error:
            raise BadRecord(
                f"{error.filename or folder}: {error.strerror}; the vectors of {path.name} are cached in {folder}; "
                f"set {CACHE_VARIABLE} for another folder"
            ) from error
        if loaded is None:
            raise BadRecord(f"{path.name}: its copy in {folder} cannot be read; empty that folder and try again")
        self.matrix, words = loaded
        self.rows = {word: row for row, word in enumerate(words)}
        self.signature = f"file@{digest[:16]}"
        self.stand_in = "unk" if "unk" in self.rows else None

    @property
    def dimension(self) -> int:
        """The number of components of a vector."""
        return int(self.matrix.shape[1])

    def vectors(self, words: Sequence[str]) -> FoundVectors:
        """Return vectors as in `WordVectors`."""
        rows = np.array([self.rows.get(word, -1) for word in words], np.intp)
        known = rows >= 0
        matrix = np.zeros((len(words), self.dimension), np.float32)
        matrix[known] = self.matrix[rows[known]]
        return matrix, known


def cache_folder() -> Path:
    """Return the cache folder: `RELEVANCE_CACHE`, or else `relevance` in the user's cache folder."""
    if chosen := os.environ.get(CACHE_VARIABLE):
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "relevance"


def read_stamp(path: Path) -> list[int]:
    """Return a fingerprint of a file that changes with its content: device, inode, size and times in nanoseconds.

    The last is the time of any change to the file, which, unlike the time of writing, cannot be set back. A file
    written a moment ago might change again within the same tick of the clock: its stamp must not be relied on yet.
    """
    status = path.stat()
    return [status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns]


def read_note(note: Path, now: list[int]) -> str | None:
    """Return the SHA-256 that was noted for a file, if the file has the same stamp as then."""
    with suppress(OSError, ValueError, KeyError, TypeError):  # no note, or not one of ours
        known = json.loads(note.read_text())
        if known["stamp"] == now:
            return str(known["sha256"])
    return None


def load_vectors(folder: Path, digest: str) -> tuple[NDArray[np.float32], list[str]] | None:
    """Return the vectors, mapped into memory, and the words that `convert` wrote; None if they are incomplete."""
    vectors, vocabulary = files(folder, digest)
    try:
        matrix = np.load(vectors, mmap_mode="r", allow_pickle=False)
        words = vocabulary.read_bytes().decode().split("\n")[:-1]  # words may contain other line ends
    except (OSError, ValueError, EOFError):
        return None
    whole = matrix.dtype == np.float32 and matrix.ndim == 2 and len(matrix) == len(words)
    return (matrix, words) if whole else None


def convert(path: Path, folder: Path, digest: str) -> None:
    """Write a file's vectors and words into the cache, the vectors last: if they are there, everything is."""
    vectors, vocabulary = files(folder, digest)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{vectors.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            words = write_vectors(path, file)
        if sha256(path) != digest:
            raise BadRecord(f"{path.name}: the file changed while it was read; try again")
        write_whole(vocabulary, (f"{word}\n" for word in words))
        Path(name).replace(vectors)
    finally:
        Path(name).unlink(missing_ok=True)


def files(folder: Path, digest: str) -> tuple[Path, Path]:
    """Return the cached files of vectors and words for a file with this content."""
    return folder / f"{digest}-{FORMAT}.npy", folder / f"{digest}-{FORMAT}.txt"


def write_vectors(path: Path, file: BinaryIO) -> list[str]:
    """Write the vectors of a text file in NumPy's format, with one line in memory at a time; return the distinct words.

    Raises `BadRecord`.
    """
    words: dict[str, None] = {}
    dimension, announced, seen, start = 0, None, 0, 0
    for place, line in lines(path):
        columns = line.strip(" \t").replace("\t", " ").split(" ")
        if columns == [""]:
            continue
        if not dimension:
            announced = header(place, columns)
            dimension = announced[1] if announced else trailing_numbers(place, columns)
            start = write_header(file, 0, dimension)
            if announced:
                continue
        seen += 1
        word, vector = parse(place, columns, dimension)
        if word not in words:
            words[word] = None
            file.write(vector.tobytes())
    if announced and announced[0] != seen:
        raise BadRecord(
            f"{path.name}:1: the first line says {announced[0]} words, and the file has {seen}; is it cut short?"
        )
    if not seen:
        raise BadRecord(f"{path.name}: there are no word vectors in the file")
    file.seek(0)
    if write_header(file, len(words), dimension) != start:
        raise RuntimeError("NumPy no longer leaves room in its header for the number of rows")
    return list(words)


def write_header(file: BinaryIO, rows: int, dimension: int) -> int:
    """Write a matrix header with room for any number of rows; return the position after it."""
    write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (rows, dimension)})
    return file.tell()


def header(place: FileLine, columns: Sequence[str]) -> tuple[int, int] | None:
    """Return the numbers in the first line of a word2vec file, else None. Raises `BadRecord`."""
    if len(columns) != 2 or not all(column.isascii() and column.isdigit() for column in columns):
        return None
    if max(map(len, columns)) > MAX_DIGITS:
        place.refuse("the number in the first line is out of range; was it written whole?")
    count, dimension = map(int, columns)
    if not count or not dimension:
        place.refuse("the first line says 0 words or 0 dimensions; was it written whole?")
    return count, dimension


def trailing_numbers(place: FileLine, columns: Sequence[str]) -> int:
    """Return the number of numeric columns after the first line's word, the dimension of a file without a header."""
    count = len(list(takewhile(is_number, reversed(columns[1:]))))
    if not count:
        place.refuse("there are no numbers after the word; " + EXPECTED)
    return count


def parse(place: FileLine, columns: Sequence[str], dimension: int) -> tuple[str, NDArray[np.float32]]:
    """Return the word of a line and its vector. Raises `BadRecord`."""
    word = " ".join(columns[:-dimension])
    if len(columns) <= dimension:
        place.refuse(f"there are {len(columns) - 1} numbers after the word, not {dimension}; " + EXPECTED)
    if len(columns) > dimension + 1 and is_number(columns[-dimension - 1]):
        place.refuse(f"there are more than {dimension} numbers after the word; " + EXPECTED)
    try:
        with np.errstate(over="ignore"):  # too large a number becomes infinite, and is refused below
            vector = np.array(list(map(float, columns[-dimension:])), "<f4")
    except ValueError:
        wrong = next(column for column in columns[-dimension:] if not is_number(column))
        place.refuse(f"{quote_value(wrong)} is not a number; " + EXPECTED)
    if not np.isfinite(vector).all():
        place.refuse(f"the vector of {quote_value(word)} has a number that is not finite; take the line out")
    return word, vector


def is_number(text: str) -> bool:
    """Tell whether a column is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True
