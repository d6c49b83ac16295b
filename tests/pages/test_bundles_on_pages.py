"""A study's bundle and its registration on the page Studies."""

from pathlib import Path

import pytest

from relevance.annotation.demo import STUDY
from relevance.annotation.registrations import RegistrationStore
from relevance.annotation.store import AnnotationStore
from relevance.bundles.opening import open_bundle
from relevance.bundles.reading import unpack
from relevance.bundles.writing import write_bundle
from relevance.data.store import DataStore
from tests.pages.opening import page_text, press
from tests.pages.test_studies import open_part

pytestmark = pytest.mark.page


def test_a_study_is_registered_once_its_bundle_can_be_kept(
    demo: tuple[DataStore, AnnotationStore], tmp_path: Path
) -> None:
    data, annotation = demo
    kept = write_bundle(data, annotation, STUDY, tmp_path / "kept.zip")
    app = press(open_part("Export", study=STUDY), "register")
    assert f"Registered {STUDY} as the bundle {kept.sha256}." in page_text(app)
    registered = RegistrationStore(annotation.engine).registration(STUDY)
    assert registered is not None
    assert registered.sha256 == kept.sha256
    assert f"before the first judgment, as the bundle `{kept.sha256}`" in page_text(open_part("Export", study=STUDY))


def test_what_is_opened_is_only_read(demo: tuple[DataStore, AnnotationStore], tmp_path: Path) -> None:
    data, annotation = demo
    file = tmp_path / "study.zip"
    write_bundle(data, annotation, STUDY, file)
    open_bundle(data, file, "Copy")
    (tmp_path / "folder").mkdir()
    bundle = unpack(file, tmp_path / "folder")
    app = open_part("Overview", study="Copy")
    assert f"Opened from the bundle {bundle.sha256}: it can be read, but not judged." in page_text(app)
    assert "close" not in [button.key for button in app.button]
    assert "register" not in [button.key for button in open_part("Export", study="Copy").button]
