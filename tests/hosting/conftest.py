"""The lab of `people` on both kinds of database, and a server of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.hosting.house import House, serving_house
from tests.hosting.people import Lab, build


@pytest.fixture
def lab(engine: Engine) -> Lab:
    return build(engine)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory, scored_demo: Path) -> Iterator[House]:
    """A server that is hosted, with the demo corpus and its study."""
    with serving_house(tmp_path_factory.mktemp("hosted"), scored_demo) as house:
        yield house
