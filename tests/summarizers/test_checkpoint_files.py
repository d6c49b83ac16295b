"""Which files of a checkpoint are read, which are refused, and what signatures say of them."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from relevance.metrics.models.files import ModelUnavailable
from relevance.summarizers.checkpoints.files import CheckpointFiles, UnsafeCheckpoint


def folder_of(path: Path, **files: str) -> Path:
    """A folder with a config and some files, by their names without dots and dashes."""
    path.mkdir()
    (path / "config.json").write_text("{}")
    for name, text in files.items():
        (path / name).write_text(text)
    return path


def index(path: Path, *shards: str) -> None:
    weights = {f"layer.{number}": shard for number, shard in enumerate(shards)}
    (path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": weights}))


@pytest.mark.parametrize("name", ["pytorch_model.bin", "pytorch_model-00001-of-00002.bin", "weights.pt", "last.ckpt"])
def test_pickled_weights_alone_are_refused_with_what_to_do(tmp_path: Path, name: str) -> None:
    folder = folder_of(tmp_path / "bart", **{name: "a pickle"})
    with pytest.raises(UnsafeCheckpoint, match=rf"pickled weights only \({name}\).*save_pretrained writes model"):
        CheckpointFiles("seq2seq", folder)


def test_weights_beside_pickled_ones_are_taken(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "bart", **{"pytorch_model.bin": "a pickle", "model.safetensors": "weights"})
    assert CheckpointFiles("seq2seq", folder).weights == [folder / "model.safetensors"]


@pytest.mark.parametrize("shard", ["pytorch_model-00001.bin", "../other/model.safetensors"])
def test_an_index_names_safetensors_of_its_folder_only(tmp_path: Path, shard: str) -> None:
    folder = folder_of(tmp_path / "bart", **{"1.safetensors": "weights"})
    folder_of(tmp_path / "other", **{"model.safetensors": "weights"})
    (folder / "pytorch_model-00001.bin").write_text("a pickle")
    index(folder, "1.safetensors", shard)
    with pytest.raises(UnsafeCheckpoint, match="which is not one of its safetensors"):
        CheckpointFiles("seq2seq", folder)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, r"there is no folder .*; nothing is downloaded"),
        ({}, r"has no model\.safetensors"),
        (
            {"adapter_config.json": "{}", "adapter_model.safetensors": "weights"},
            "is an adapter of another model: merge",
        ),
        ({"adapter_model.safetensors": "weights"}, r"has no model\.safetensors"),
    ],
)
def test_what_is_no_checkpoint(tmp_path: Path, files: dict[str, str] | None, message: str) -> None:
    folder = tmp_path / "x" if files is None else folder_of(tmp_path / "x", **files)
    with pytest.raises(ModelUnavailable, match=message):
        CheckpointFiles("causal", folder)


def test_a_folder_without_a_config(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "x", **{"model.safetensors": "weights"})
    (folder / "config.json").unlink()
    with pytest.raises(ModelUnavailable, match=r"has no config\.json"):
        CheckpointFiles("causal", folder)


@pytest.mark.parametrize(
    "config",
    [
        {"attn_implementation": "kernels-community/flash-attn"},
        {"_attn_implementation": "somebody/else@main:attend"},
        {"text_config": {"attn_implementation": "somebody/else"}},
        {"attn_implementation": {"": "sdpa", "vision_config": "somebody/else"}},
        {"experts_implementation": "somebody/else"},
    ],
)
def test_a_config_that_asks_for_code_of_the_hub_is_refused(tmp_path: Path, config: dict[str, object]) -> None:
    """Where the package `kernels` is installed, transformers fetches and runs that whatever else it was told."""
    files = {"model.safetensors": "weights", "config.json": json.dumps(config)}
    with pytest.raises(UnsafeCheckpoint, match=r"asks for code of the hub \(.*/.*\), which is not run"):
        CheckpointFiles("causal", folder_of(tmp_path / "x", **files))


def test_configs_of_every_day(tmp_path: Path) -> None:
    config = {"attn_implementation": "sdpa", "_name_or_path": "facebook/bart-base", "quantization_config": None}
    files = {"model.safetensors": "weights", "config.json": json.dumps(config)}
    assert CheckpointFiles("causal", folder_of(tmp_path / "x", **files)).weights


def test_a_quantized_model_is_refused(tmp_path: Path) -> None:
    config = {"quantization_config": {"quant_method": "mxfp4"}}
    files = {"model.safetensors": "weights", "config.json": json.dumps(config)}
    with pytest.raises(ModelUnavailable, match="x is quantized, which needs more than transformers"):
        CheckpointFiles("causal", folder_of(tmp_path / "x", **files))


def test_gguf_is_one_file(tmp_path: Path) -> None:
    file = tmp_path / "small.Q4.gguf"
    with pytest.raises(ModelUnavailable, match="there is no file"):
        CheckpointFiles("gguf", file)
    file.write_bytes(b"PK\x03\x04")
    with pytest.raises(ModelUnavailable, match="is not a GGUF file"):
        CheckpointFiles("gguf", file)
    file.write_bytes(b"GGUF\x03\0\0\0")
    checkpoint_files = CheckpointFiles("gguf", file)
    assert checkpoint_files.settings == {"model": f"small.Q4@{sha256(file.read_bytes()).hexdigest()[:8]}"}
    assert (checkpoint_files.name, checkpoint_files.folder) == ("small.Q4", tmp_path)


def test_signatures_have_the_weights_the_config_and_the_tokenizer(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "a|b:c", **{"model.safetensors": "weights", "tokenizer.json": "words"})
    before = CheckpointFiles("seq2seq", folder).settings
    assert before["model"] == f"a_b_c@{sha256(b'weights').hexdigest()[:8]}"
    assert set(before) == {"model", "config", "tokenizer"}
    changed = {"config.json": "config", "generation_config.json": "config", "method.json": "config"}
    changed |= {"tokenizer.json": "tokenizer", "merges.txt": "tokenizer", "chat_template.jinja": "tokenizer"}
    for name, setting in changed.items():
        (folder / name).write_text('{"another": 1}')
        after = CheckpointFiles("seq2seq", folder).settings
        assert {key for key in after if after[key] != before[key]} == {setting}
        before = after
    (folder / "README.md").write_text("says nothing of what is written")
    assert CheckpointFiles("seq2seq", folder).settings == before


def test_all_weights_are_in_the_hash(tmp_path: Path) -> None:
    folder = folder_of(tmp_path / "x", **{"1.safetensors": "one", "2.safetensors": "two"})
    index(folder, "1.safetensors", "2.safetensors")
    seen = [CheckpointFiles("causal", folder).settings["model"]]
    for name, text in (("2.safetensors", "changed"), ("1.safetensors", "changed"), ("3.safetensors", "more")):
        (folder / name).write_text(text)
        seen.append(CheckpointFiles("causal", folder).settings["model"])
    assert len(set(seen)) == 4
