"""Registration of a study before its first judgment: hashes of its bundle, and of what must not change unnoticed."""

from pathlib import Path
from tempfile import TemporaryDirectory

from relevance.annotation.registrations import Registration, RegistrationStore
from relevance.annotation.store import AnnotationStore
from relevance.bundles.changes import hash_registered
from relevance.bundles.writing import make_bundle, write_bundle
from relevance.data.store import DataStore


def register_study(data: DataStore, annotation: AnnotationStore, study: str, file: Path | None = None) -> Registration:
    """Store the hash of the bundle that `relevance bundle STUDY` writes now, and of each of its files.

    The bundle is written into `file`, if given. Raises `UnknownStudy`, `NotAllowed`, `AlreadyJudged`, `NotBundled`,
    OSError.
    """
    registrations = RegistrationStore(annotation.engine, annotation.actor)
    registrations.check_registrable(study)
    if file is None:
        return registrations.register(study, *hash_study(data, annotation, study))
    bundle = write_bundle(data, annotation, study, file)
    hashes = {**bundle.files, **hash_registered(data, annotation, study)}
    return registrations.register(study, bundle.sha256, hashes)


def hash_study(data: DataStore, annotation: AnnotationStore, study: str) -> tuple[str, dict[str, str]]:
    """Compute the hash of a study's bundle, and those of all its files and of each signature's scores.

    Raises `UnknownStudy`, `NotBundled`.
    """
    with TemporaryDirectory() as folder:
        bundle = make_bundle(data, annotation, study, Path(folder, "bundle"))
    return bundle.sha256, {**bundle.files, **hash_registered(data, annotation, study)}
