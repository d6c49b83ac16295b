"""Files of a study, streamed to those who may read it: Streamlit would keep each in one worker's memory."""

import subprocess
import sys
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from relevance.annotation.exports import EXPORTS, export_file, formats_of, kind_of_file, name_file
from relevance.annotation.store import AnnotationStore
from relevance.annotation.studies import find_study
from relevance.data.environment import without_secrets
from relevance.data.export import format_lines
from relevance.data.store import DatabaseFailed, DataStore, StoreError
from relevance.hosting.services import Services
from relevance.hosting.sign_ins import SignedIn

BUNDLE = "bundle.zip"

COMMAND = "import os; os.nice(5); from relevance.cli import main; main()"
"""The program of the process that makes a bundle; it has a low priority, so that pages go first."""


class NotMade(StoreError):
    """A bundle could not be made; the message says why."""


def export_address(study: str, what: str, format: str, *, names: bool = False) -> str:
    """Return the address of a study's file on a hosted server; with `names` it is for the study's managers."""
    return f"/export/{quote(study, safe='')}/{what}.{format}{'?names=1' if names else ''}"


def bundle_address(study: str, *, texts: bool) -> str:
    """Return the address of a study's bundle on a hosted server."""
    return f"/export/{quote(study, safe='')}/{BUNDLE}{'' if texts else '?no-texts=1'}"


class ExportRoutes:
    """The route that serves files."""

    def __init__(self, services: Services) -> None:
        self.engine = services.engine
        self.one_bundle = CapacityLimiter(1)
        """The limiter that lets bundles be made one after another, as their tables take seconds."""

    def routes(self) -> list[Route]:
        """Return the route; a study's name may contain a slash."""
        return [Route("/export/{study:path}/{file}", self.send, methods=["GET"])]

    async def send(self, request: Request) -> Response:
        """Stream a file; answer that there is none also to those who may not know of the study."""
        study, file = request.path_params["study"], request.path_params["file"]
        if file == BUNDLE:
            return await self.send_bundle(request, study)
        what, _, format = file.partition(".")
        if what not in EXPORTS or format not in formats_of(what):
            return PlainTextResponse("There is no such file.\n", 404)
        actor, names = SignedIn(request.scope["sign_in"]), request.query_params.get("names") == "1"

        def read() -> Iterable[dict[str, Any]]:
            annotation, data = AnnotationStore(self.engine, actor), DataStore(self.engine, actor)
            records = iter(export_file(data, annotation, study, what, format, names=names))
            return chain(list(islice(records, 1)), records)  # a refusal comes with the first record, before the answer

        try:
            records = await to_thread.run_sync(read)
        except DatabaseFailed as error:
            return PlainTextResponse(f"{error}\n", 503)
        except StoreError:
            return PlainTextResponse("There is no such file.\n", 404)
        name, kind = quote(name_file(study, what, format), safe=""), kind_of_file(format)
        return StreamingResponse(
            (line.encode() for line in format_lines(records, kind)),
            media_type="text/csv; charset=utf-8" if kind == "csv" else "application/jsonl",
            headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
        )

    async def send_bundle(self, request: Request, study: str) -> Response:
        """Make a study's bundle and send it, if the caller may read the study before and after it is made."""
        actor, texts = SignedIn(request.scope["sign_in"]), request.query_params.get("no-texts") != "1"
        store = AnnotationStore(self.engine, actor)

        def check() -> None:
            with store.reading() as session:
                find_study(session, study)

        folder = Path(await to_thread.run_sync(mkdtemp))
        try:
            await to_thread.run_sync(check)
            await to_thread.run_sync(write_bundle, study, folder / BUNDLE, texts, limiter=self.one_bundle)
            await to_thread.run_sync(check)
        except StoreError as error:
            await to_thread.run_sync(rmtree, folder)
            if isinstance(error, DatabaseFailed | NotMade):
                return PlainTextResponse(f"{error}\n", 503)
            return PlainTextResponse("There is no such file.\n", 404)
        except BaseException:
            rmtree(folder)
            raise
        name = quote(f"{study}.zip", safe="")
        return FileResponse(
            folder / BUNDLE,
            media_type="application/zip",
            headers={"content-disposition": f"attachment; filename*=UTF-8''{name}"},
            background=BackgroundTask(rmtree, folder),
        )


def write_bundle(study: str, file: Path, texts: bool) -> None:
    """Write a bundle by running the command in a process of its own. Raises `NotMade`."""
    command = [sys.executable, "-P", "-c", COMMAND, "bundle", "write", "-o", str(file)]
    command += [*([] if texts else ["--no-texts"]), "--", study]
    done = subprocess.run(command, env=without_secrets(), capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise NotMade(lines[-1].removeprefix("Error: ") if lines else "the bundle could not be made")
