"""No page sees what another test's page has kept; tests that draw whole pages over a database are marked."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

from relevance.annotation.store import AnnotationStore
from relevance.data.database import connect
from relevance.data.store import DataStore


@pytest.fixture
def demo(demo_url: str) -> tuple[DataStore, AnnotationStore]:
    engine = connect(demo_url)
    return DataStore(engine), AnnotationStore(engine)


@pytest.fixture(autouse=True)
def fresh_caches() -> Iterator[None]:
    st.cache_resource.clear()
    st.cache_data.clear()
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture(scope="session", autouse=True)
def no_components_of_others() -> Iterator[None]:
    """Every session would look for components in all installed packages, where there are none: 0.14 s each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("streamlit.components.v2.manifest_scanner.scan_component_manifests", list)
        yield


@pytest.hookimpl(tryfirst=True)  # before the marks are asked for
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and "sqlite_url" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.page)
