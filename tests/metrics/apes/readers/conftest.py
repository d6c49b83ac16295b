"""Tiny models with the head that a test file names as `HEAD`."""

from pathlib import Path

import pytest

from tests.metrics.apes.tiny import ARCHITECTURES, save


@pytest.fixture(scope="module", params=ARCHITECTURES)
def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("model") / request.param, request.param, request.module.HEAD)


@pytest.fixture(scope="module")
def bert(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save(tmp_path_factory.mktemp("model") / "bert", "bert", request.module.HEAD)
