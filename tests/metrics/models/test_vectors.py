"""Word vectors: files of both kinds, what is refused and how, a cache that is never stale; the encoder on one word."""

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from relevance.data.records import BadRecord
from relevance.metrics.models import vectors
from relevance.metrics.models.vectors import EncoderVectors, FileVectors
from tests.running import running_process

ROOT = Path(__file__).resolve().parents[3]
GLOVE = "north 0 1\neast 1 0\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, empty."""
    monkeypatch.setenv("RELEVANCE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "vectors"


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "vectors.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def settle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let files that were written just now count as old."""
    monkeypatch.setattr(vectors, "SETTLED", -60.0)


def looked_up(file_vectors: FileVectors, word: str) -> list[float] | None:
    matrix, known = file_vectors.vectors([word])
    return matrix[0].tolist() if known[0] else None


@pytest.mark.parametrize(
    ("content", "vectors"),
    [
        (GLOVE, {"north": [0, 1], "east": [1, 0], "west": None}),
        ("2 2\n" + GLOVE, {"north": [0, 1], "2": None}),  # word2vec's header
        ("2 2\nnorth 0 1 \neast 1 0 \n", {"east": [1, 0]}),  # word2vec ends its lines with a space
        ("north\t0\t1\r\neast\t1\t0\r\n\n", {"north": [0, 1]}),
        (". . . 0.5 -1e-1\nat name@domain.com 1 0\n", {". . .": [0.5, -0.1], "at name@domain.com": [1, 0]}),
        ("north 0 1\nnorth 5 5\n", {"north": [0, 1]}),  # the first line counts
        ("3 0 1\nnan 1 0\n", {"3": [0, 1], "nan": [1, 0]}),  # words that look like numbers
        ("US 0 1\nus 1 0\nthe 2 2\n", {"US": [0, 1], "us": [1, 0], "Us": None, "The": None}),
        ("a\u2028b 0 1\nc\u00a0d 1 0\n", {"a\u2028b": [0, 1], "c\u00a0d": [1, 0]}),  # no ASCII space, no LF
    ],
)
def test_files(tmp_path: Path, content: str, vectors: dict[str, list[float] | None]) -> None:
    path = written(tmp_path, content)
    for result in (FileVectors(path), FileVectors(path)):  # as read, and from the cache
        assert result.dimension == 2
        for word, vector in vectors.items():
            assert looked_up(result, word) == (None if vector is None else pytest.approx(vector))


def test_shapes(tmp_path: Path) -> None:
    file_vectors = FileVectors(written(tmp_path, GLOVE))
    matrix, known = file_vectors.vectors(["west", "north"])
    assert (matrix.dtype, matrix.tolist(), known.tolist()) == (np.float32, [[0, 0], [0, 1]], [False, True])
    matrix, known = file_vectors.vectors([])
    assert (matrix.shape, known.shape) == ((0, 2), (0,))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", r"vectors.txt: there are no word vectors in the file"),
        ("\n \n", r"vectors.txt: there are no word vectors in the file"),
        ("north\n", r"vectors.txt:1: there are no numbers after the word; a line must be a word and its numbers"),
        (
            GLOVE + "south 0\n",
            r"vectors.txt:3: there are 1 numbers after the word, not 2; a line must be a word and its",
        ),
        (GLOVE + "south 0 -1 5\n", r"vectors.txt:3: there are more than 2 numbers after the word; a line must be"),
        (GLOVE + "south 0 x\n", r'vectors.txt:3: "x" is not a number; a line must be a word and its numbers'),
        (GLOVE + "south 0  1\n", r"vectors.txt:3: .*one space between them"),
        (GLOVE + "south nan 1\n", r'vectors.txt:3: the vector of "south" has a number that is not finite; take'),
        (GLOVE + "south 1 -inf\n", r'vectors.txt:3: the vector of "south" has a number that is not finite; take'),
        (GLOVE + "south 1 1e39\n", r'vectors.txt:3: the vector of "south" has a number that is not finite; take'),
        (GLOVE.encode() + b"s\xfcd 0 1\n", r"vectors.txt:3: byte 2 of the line \(0xfc\) is not UTF-8; .*Save it as"),
        (b"\x1f\x8b\x08\x00\n", r"vectors.txt:1: the file is compressed; unpack it first"),
        (b"3 2\nnorth \x00\x00\x80\x3f", r"vectors.txt:2: there are NUL bytes in the line"),  # word2vec's binary form
        ("3 2\n" + GLOVE, r"vectors.txt:1: the first line says 3 words, and the file has 2; is it cut short\?"),
        ("0 2\n", r"vectors.txt:1: the first line says 0 words or 0 dimensions"),
    ],
)
def test_what_cannot_be_read_is_refused_and_leaves_nothing(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, content: str | bytes, message: str
) -> None:
    settle(monkeypatch)
    with pytest.raises(BadRecord, match=message):
        FileVectors(written(tmp_path, content))
    assert list(cache.iterdir()) == []


def test_no_file_and_no_cache_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadRecord, match="there is no such file of word vectors"):
        FileVectors(tmp_path / "nowhere.txt")
    path = written(tmp_path, GLOVE)
    monkeypatch.setenv("RELEVANCE_CACHE", str(path))  # a file where a folder should be
    with pytest.raises(BadRecord, match="set RELEVANCE_CACHE for another folder"):
        FileVectors(path)


def test_a_file_is_read_and_hashed_once(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(monkeypatch)
    path = written(tmp_path, GLOVE)
    first = FileVectors(path)
    assert sorted(file.suffix for file in cache.iterdir()) == [".json", ".npy", ".txt"]

    def fail(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(vectors, "convert", fail)
    copy = tmp_path / "copy.txt"
    copy.write_bytes(path.read_bytes())
    assert FileVectors(copy).signature == first.signature  # the content counts, not the name
    monkeypatch.setattr(vectors, "sha256", fail)
    again = FileVectors(path)
    assert again.signature == first.signature
    assert isinstance(again.matrix, np.memmap)
    assert looked_up(again, "north") == [0, 1]


def test_a_changed_file_is_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even one of the same size whose time of writing was set back."""
    settle(monkeypatch)
    path = written(tmp_path, GLOVE)
    old = FileVectors(path)
    times = path.stat()
    while True:  # until the clock of the file system has ticked
        written(tmp_path, GLOVE.replace("0 1", "0 7"))
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        if path.stat().st_ctime_ns != times.st_ctime_ns:
            break
    new = FileVectors(path)
    assert new.signature != old.signature
    assert looked_up(new, "north") == [0, 7]


def test_a_file_written_just_now_is_hashed_again(tmp_path: Path, cache: Path) -> None:
    """Its next change might come within the same tick of the clock, and then its times would not tell."""
    FileVectors(written(tmp_path, GLOVE))
    assert not list(cache.glob("*.json"))


def test_a_file_that_changes_while_it_is_read_is_refused(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, GLOVE)
    hashes = iter(["one", "other"])
    monkeypatch.setattr(vectors, "sha256", lambda _: next(hashes))
    with pytest.raises(BadRecord, match="changed while it was read; try again"):
        FileVectors(path)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("suffix", [".npy", ".txt", ".json"])
@pytest.mark.parametrize("content", [b"", b"{}", b"\x93NUMPY"])
def test_a_damaged_cache_is_made_anew(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, content: bytes
) -> None:
    settle(monkeypatch)
    path = written(tmp_path, GLOVE)
    FileVectors(path)
    (file,) = cache.glob(f"*{suffix}")
    file.write_bytes(content)
    assert looked_up(FileVectors(path), "east") == [1, 0]


@pytest.mark.process
def test_processes_that_read_the_same_file_at_once(tmp_path: Path, cache: Path) -> None:
    path = written(tmp_path, "".join(f"word{i} {i} {-i}\n" for i in range(3000)))
    code = (
        "import sys; from relevance.metrics.models.vectors import FileVectors; f = FileVectors(sys.argv[1]); "
        "print(f.signature, len(f.rows), f.vectors(['word2999'])[0][0].tolist())"
    )
    command = [sys.executable, "-c", code, path]
    with ExitStack() as processes:
        running = [
            processes.enter_context(running_process(command, cwd=ROOT, stdout=subprocess.PIPE, text=True))
            for _ in range(3)
        ]
        outputs = {process.communicate()[0] for process in running}
    assert outputs == {f"{FileVectors(path).signature} 3000 [2999.0, -2999.0]\n"}
    assert not list(cache.glob(".*"))


def test_the_encoder_on_single_words() -> None:
    encoder_vectors = EncoderVectors()
    matrix, known = encoder_vectors.vectors(["paper", "article", "paper", "ꙮꙮ"])
    assert known.tolist() == [True, True, True, False]  # a word that its vocabulary cannot spell
    assert matrix.shape == (4, encoder_vectors.dimension) == (4, 384)
    assert (matrix[0] == matrix[2]).all()
    assert not matrix[3].any()
    assert encoder_vectors.vectors([])[0].shape == (0, 384)
    # Words do not depend on the words beside them, beyond float32's noise.
    alone, _ = EncoderVectors().vectors(["article"])
    assert np.abs(alone[0] - matrix[1]).max() < 1e-5


def test_the_encoder_reads_a_word_as_the_mean_of_its_pieces() -> None:
    encoder_vectors = EncoderVectors(layer=3)
    (encoded,) = encoder_vectors.encoder.encode(["summarizers"], [3])
    assert len(encoded.ids) > 3  # [CLS], several pieces, [SEP]
    matrix, _ = encoder_vectors.vectors(["summarizers"])
    assert matrix[0] == pytest.approx(encoded.vectors[3][1:-1].mean(dim=0).numpy(), abs=1e-6)


def test_the_encoder_keeps_a_bounded_number_of_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "WORDS", 2)
    encoder_vectors = EncoderVectors(layer=1)
    matrix, known = encoder_vectors.vectors(["one", "two", "three"])  # more than are kept
    assert known.all()
    assert list(encoder_vectors.kept) == ["two", "three"]
    assert encoder_vectors.vectors(["one"])[0][0] == pytest.approx(matrix[0], abs=1e-5)
