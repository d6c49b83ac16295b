"""Writing of bundles: the same study always becomes the same bytes."""

import hashlib
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from relevance.annotation.store import AnnotationStore
from relevance.bundles.changes import describe_registration
from relevance.bundles.checking import check_study
from relevance.bundles.contents import MANIFEST, TABLES, as_json, make_files
from relevance.bundles.datasheet import make_datasheet
from relevance.bundles.environment import make_environment, make_readme
from relevance.bundles.hashed_texts import hide_files
from relevance.bundles.reading import CHUNK, EPOCH, FORMAT, MOST_BYTES, MOST_TIMES, SMALL, Bundle
from relevance.bundles.results import loaded, make_tables, tables_as_json
from relevance.bundles.rows import read_rows
from relevance.data.files import is_replaced, sha256, write_bytes_whole, write_whole
from relevance.data.records import BadRecord
from relevance.data.store import DataStore, StoreError
from relevance.reports.html_report import report_html
from relevance.reports.methods import study_methods


class NotBundled(StoreError):
    """The study cannot be bundled; the message says why."""


def write_bundle(data: DataStore, annotation: AnnotationStore, study: str, file: Path, *, texts: bool = True) -> Bundle:
    """Write a study's bundle; without `texts`, hashes replace those of its data set.

    Raises `UnknownStudy`, `NotBundled`, OSError.
    """
    if not is_replaced(file):
        raise NotBundled(f"{file} is not an ordinary file; name one to write the bundle to")
    with TemporaryDirectory() as name:
        bundle = make_bundle(data, annotation, study, Path(name, "bundle"), texts=texts)
        packed = Path(name, "bundle.zip")
        pack(bundle, packed)
        write_bytes_whole(file, read_chunks(packed))
    return bundle


def make_bundle(
    data: DataStore, annotation: AnnotationStore, study: str, folder: Path, *, texts: bool = True
) -> Bundle:
    """Make the files of a bundle in a new folder. Raises `UnknownStudy`, `NotBundled`, OSError.

    Its tables are made from its own records in their own database, as `relevance bundle rerun` makes them: they
    describe one moment, even if people judge meanwhile, and know people only by their pseudonyms.
    """
    rows = read_rows(annotation, study)
    folder.mkdir()
    for name, lines in make_files(data, rows):
        (folder / name).parent.mkdir(exist_ok=True)
        write_whole(folder / name, lines)
    whole = list_files(folder, rows.name, texts=True)
    try:
        check_study(whole)
    except BadRecord as error:  # somebody adds summaries or scores at this moment
        raise NotBundled(f"the data set {rows.dataset!r} was changed meanwhile; try again ({error})") from error
    facts = describe_registration(data, annotation, study)
    with loaded(whole, rows.dataset) as loaded_study:
        read, contents = make_tables(loaded_study)
        write_whole(folder / TABLES, as_json(tables_as_json(loaded_study)))
        labelled = contents.labelled()
        labelled = labelled.with_facts(facts)
        write_whole(folder / "report.html", [report_html(labelled, study_methods(read, labelled.shown.results))])
    if not texts:
        hide_files(folder)
    write_whole(folder / "datasheet.md", make_datasheet(whole, read, facts, texts=texts))
    write_whole(folder / "environment.json", as_json(make_environment(rows.whole["study"]["seed"])))
    write_whole(folder / "README.md", make_readme(rows.name, texts=texts))
    return list_files(folder, rows.name, texts=texts)


def list_files(folder: Path, study: str, *, texts: bool) -> Bundle:
    """Write the manifest of the files in a folder. Raises `NotBundled` if they are too large."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    files = {name: folder / name for name in names if name != MANIFEST}
    entries = {name: {"sha256": sha256(path), "bytes": path.stat().st_size} for name, path in files.items()}
    manifest = "".join(as_json({"format": FORMAT, "study": study, "texts": texts, "files": entries}))
    if sum(path.stat().st_size for path in files.values()) > MOST_BYTES:
        raise NotBundled(f"the study's files have over {MOST_BYTES >> 20} MB together, more than a bundle may have")
    write_whole(folder / MANIFEST, [manifest])
    return Bundle(
        folder=folder,
        sha256=hashlib.sha256(manifest.encode()).hexdigest(),
        study=study,
        texts=texts,
        files={name: str(entry["sha256"]) for name, entry in entries.items()},
    )


def pack(bundle: Bundle, file: Path) -> None:
    """Pack a bundle's files, sorted by name and with one time, so that the same files become the same bytes."""
    with ZipFile(file, "w") as archive:
        for name in sorted([*bundle.files, MANIFEST]):
            member = ZipInfo(name, EPOCH)
            member.compress_type, member.create_system = ZIP_DEFLATED, 3
            member.external_attr = (stat.S_IFREG | 0o644) << 16
            with (bundle.folder / name).open("rb") as source, archive.open(member, "w") as target:
                shutil.copyfileobj(source, target, CHUNK)
            if member.file_size > max(SMALL, MOST_TIMES * member.compress_size):
                raise NotBundled(f"{name} repeats itself so much that it would be refused as a zip bomb")


def read_chunks(file: Path) -> Iterator[bytes]:
    """Yield the bytes of a file in parts."""
    with file.open("rb") as opened:
        while part := opened.read(CHUNK):
            yield part
