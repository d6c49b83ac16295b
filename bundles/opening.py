"""Opening of a bundle: a study to read, with its data set, closed to judging and changes."""

from pathlib import Path
from tempfile import TemporaryDirectory

from relevance.bundles.checking import check_bundle
from relevance.bundles.contents import WHOLE_STUDY
from relevance.bundles.loading import load_bundle
from relevance.bundles.reading import Bundle, unpack
from relevance.bundles.records import WHOLE_STUDY as FIELDS
from relevance.bundles.records import read_fields
from relevance.data.store import DataStore


def open_bundle(store: DataStore, file: Path, name: str | None = None) -> tuple[str, str]:
    """Import a bundle's study to read it; return the names of the study and of its data set.

    A given `name` is the study's, and the data set is named after it. Raises `BadBundle`, `BadRecord`, `StudyExists`,
    `DatasetExists`, `ScoresDiffer`, OSError; nothing is imported then.
    """
    with TemporaryDirectory() as folder:
        bundle = unpack(file, Path(folder))
        for _ in check_bundle(bundle):
            pass
        dataset = name_dataset(bundle)
        names = (bundle.study, dataset) if name is None else (name, f"{dataset} of {name}")
        load_bundle(store, bundle, name=names[0], dataset=names[1], opened=True)
    return names


def name_dataset(bundle: Bundle) -> str:
    """Return the name of a bundle's data set."""
    place, value = bundle.value(WHOLE_STUDY)
    return str(read_fields(place, value, FIELDS)["dataset"]["name"])
