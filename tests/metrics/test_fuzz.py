"""Every reader of files takes a damaged file or refuses it in one line that names the file."""

import io
import json
import struct
import time

import pytest

from relevance.data.importers.question import read_question
from relevance.data.records import BadRecord, Document
from relevance.metrics.apes.readers.attentive import METADATA, read_settings
from relevance.metrics.apes.training import BadTrainingFile, read_sentences
from relevance.metrics.bertscore import read_baseline
from relevance.metrics.keywords.lists import read_keyword_lists
from relevance.metrics.models.files import BadModel
from relevance.metrics.models.vectors import write_vectors
from tests.fuzzing import mutations

pytestmark = pytest.mark.exhaustive

COUNT = 2000
SLOWEST = 20
DOCUMENTS = [Document(f"d{number}", "t", ("r",)) for number in range(2)]


def reader_file(settings):
    """A file of safetensors without weights."""
    head = json.dumps({"__metadata__": {METADATA: json.dumps(settings)}}).encode()
    return struct.pack("<Q", len(head)) + head


READERS = {
    "baseline": (
        lambda path: read_baseline(path, 2),
        [b"LAYER,P,R,F\n0,0.1,0.2,0.3\n1,.1,.2,.3\r\n2,0.1,0.2,0.3\n"],
    ),
    "vectors": (
        lambda path: write_vectors(path, io.BytesIO()),
        [b"2 3\none 0.1 0.2 0.3\ntwo 1 2e-3 -.5\n", "one 0.1 0.2\né 1 2\n. . . 0.1 0.2\n".encode()],
    ),
    "keywords": (
        lambda path: read_keyword_lists(path, DOCUMENTS),
        [b'["graph network", "kernel"]\n[]\n', b'{"id": "d1", "keywords": ["kernel"]}\n'],
    ),
    "questions": (
        read_question,
        [
            b"http://a\n\n@entity1 met @entity2 .\n\n@placeholder met @entity2\n\n@entity1\n\n"
            b"@entity1:Kim\n@entity2:Tom\n"
        ],
    ),
    "entities": (read_sentences, [b"-DOCSTART- O\n\nKim B-PER\nBaker I-PER\nsaw O\nRome B-LOC\n\nA O\n"]),
    "reader": (read_settings, [reader_file({"hidden": 4, "embedding": 4, "entities": 4, "vocabulary": ["a", "b"]})]),
}


@pytest.mark.parametrize("name", READERS)
def test_damaged_files_are_taken_or_refused_in_one_line(tmp_path, name):
    read, samples = READERS[name]
    path = tmp_path / "f.x"
    for sample in samples:
        path.write_bytes(sample)
        read(path)
    refused = 0
    for content in mutations(samples, COUNT, seed=len(name)):
        path.write_bytes(content)
        start = time.process_time()
        try:
            read(path)
        except (BadRecord, BadTrainingFile, BadModel) as refusal:
            refused += 1
            check_message(str(refusal), content)
        assert time.process_time() - start < SLOWEST, content
    assert COUNT / 20 < refused < COUNT


def check_message(message, content):
    assert "f.x" in message, (message, content)
    assert message.isprintable(), (message, content)
    assert len(message) < 1000, (message, content)
