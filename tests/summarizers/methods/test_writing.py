"""Trained folders as systems: what `seq2seq:DIR` writes is what dev was measured by, with a cache or without."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from relevance.metrics.models.files import MOST_JSON, BadModel
from relevance.summarizers.checkpoints import WritingOptions, checkpoint_summarizer
from relevance.summarizers.checkpoints.loading import load_network
from relevance.summarizers.methods.base import Decoding, Method
from relevance.summarizers.methods.plain import Seq2SeqMethod
from relevance.summarizers.methods.registry import METHODS, read_method
from tests.summarizers.checkpoints import DOCUMENTS, change_json

pytestmark = pytest.mark.model

SETTINGS: dict[str, dict[str, Any]] = {"rwenc": {"layers": (0, 1)}, "rwgen": {"share": 0.8}}

SEQ2SEQ = [name for name, method in METHODS.items() if issubclass(method, Seq2SeqMethod)]

DECODING = Decoding(num_beams=3, max_new_tokens=9, no_repeat_ngram_size=2)


def trained(name: str, model: Path, folder: Path) -> Method:
    """A folder as training leaves it, of a network that learned nothing."""
    method = METHODS[name](**SETTINGS.get(name, {}))
    torch.manual_seed(3)
    network = method.start(model, DOCUMENTS)
    folder.mkdir()
    method.save(network, folder, DECODING)
    (folder / "method.json").write_text(json.dumps({"method": name, "settings": method.settings}))
    return method


@pytest.mark.parametrize("name", SEQ2SEQ)
def test_a_folder_writes_what_dev_was_measured_by(name: str, bart: Path, tmp_path: Path) -> None:
    folder = tmp_path / name
    assert read_method_again(trained(name, bart, folder), folder)
    again = read_method(folder)
    expected = again.write(again.load(folder), DOCUMENTS[:3], DECODING)
    system = checkpoint_summarizer(f"seq2seq:{folder}", WritingOptions(device="cpu"))
    assert [summary.text for summary in system.summarize(DOCUMENTS[:3])] == expected
    assert len(set(expected)) > 1  # it is not what any source gets
    system.checkpoint.generation.use_cache = False
    assert [summary.text for summary in system.summarize(DOCUMENTS[:3])] == expected
    assert "|beams:3|" in system.signature
    assert "|tokens:0-9|" in system.signature


def read_method_again(method: Method, folder: Path) -> bool:
    return read_method(folder).settings == method.settings


@pytest.mark.parametrize("name", ["rwenc", "rwgen"])
def test_what_a_method_adds_changes_what_is_written(name: str, bart: Path, tmp_path: Path) -> None:
    trained(name, bart, tmp_path / name)
    trained("plain", bart, tmp_path / "plain")
    texts, signatures = [], set()
    for folder in (name, "plain"):
        system = checkpoint_summarizer(f"seq2seq:{tmp_path / folder}", WritingOptions(device="cpu"), system="one")
        texts.append([summary.text for summary in system.summarize(DOCUMENTS)])
        signatures.add(system.signature.replace(folder, ""))
    assert texts[0] != texts[1]
    assert len(signatures) == 2


def test_a_prompt_is_refused(bart: Path, tmp_path: Path) -> None:
    trained("rwgen", bart, tmp_path / "rwgen")
    options = WritingOptions(device="cpu", prompt="tl;dr {document}")
    with pytest.raises(ValueError, match="a model trained by rwgen reads the document alone"):
        checkpoint_summarizer(f"seq2seq:{tmp_path / 'rwgen'}", options).summarize(DOCUMENTS[:1])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "none"}, "was trained by the method 'none', which is not known here"),
        ({"method": ["rwgen"]}, "does not say by which method"),
        ({"filled": "." * MOST_JSON}, r"method\.json is not JSON that can be read"),
        ({"settings": {"share": 3}}, "the share of the tf-idf must be from 0 to 1"),
        ({"settings": {"other": 3}}, "unexpected keyword argument 'other'"),
        ({"settings": None}, "does not say with which settings"),
    ],
)
def test_a_record_that_says_nothing_known_is_refused(
    changes: dict[str, Any], message: str, bart: Path, tmp_path: Path
) -> None:
    trained("rwgen", bart, tmp_path / "rwgen")
    change_json(tmp_path / "rwgen" / "method.json", **changes)
    with pytest.raises(BadModel, match=message):
        checkpoint_summarizer(f"seq2seq:{tmp_path / 'rwgen'}", WritingOptions(device="cpu")).summarize(DOCUMENTS[:1])


def test_a_folder_without_what_was_counted_is_refused(bart: Path, tmp_path: Path) -> None:
    trained("rwgen", bart, tmp_path / "rwgen")
    (tmp_path / "rwgen" / "method.safetensors").unlink()
    system = checkpoint_summarizer(f"seq2seq:{tmp_path / 'rwgen'}", WritingOptions(device="cpu"))
    with pytest.raises(BadModel, match=r"has no method\.safetensors"):
        load_network(system.checkpoint.model)
