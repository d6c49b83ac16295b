"""The application: `relevance serve`, `uvicorn relevance.app:app --lifespan on` or `streamlit run app.py` serve it."""

import gc
import tomllib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from relevance.hosting.room_routes import list_routes
from relevance.hosting.settings import BadSettings, hosted_settings, is_hosted

SETTINGS = Path(__file__).with_name(".streamlit") / "config.toml"


@asynccontextmanager
async def lifespan(_app: st.App) -> AsyncIterator[dict[str, object]]:
    """Bring the schema up to date and import what pages need, before anybody waits for it.

    Collections of garbage do not look through what is loaded here.
    """
    import altair  # noqa: F401
    import pandas  # noqa: F401

    import relevance.pages.components.annotate.listing
    import relevance.pages.components.annotate.start
    import relevance.pages.components.annotate.survey
    import relevance.pages.components.annotate.training
    import relevance.pages.components.playground.forms
    import relevance.pages.components.shared.context  # noqa: F401  with SciPy, for all pages of results
    from relevance.data.database import connect, fix_database
    from relevance.metrics.text import lemmas, stem
    from relevance.pages.computing.garbage import collecting
    from relevance.pages.computing.page_pool import open_pool

    connect(fix_database()).dispose()
    if is_hosted():
        from relevance.hosting.operations import log_as_json

        log_as_json()
    for load in (lemmas, stem):  # the dictionaries that the playground needs with the first letter
        load("dictionaries")
    gc.collect()
    gc.freeze()
    async with collecting():
        yield {}
    open_pool().end()


def set_up_streamlit() -> None:
    """Set Streamlit's options to those of our `config.toml`, which it reads by itself only in its own folder.

    They go before what this machine's other configurations and the environment say. Raises `BadSettings` for an option
    that this version of Streamlit does not have.
    """
    from streamlit import config, logger

    for name, value in list_options(tomllib.loads(SETTINGS.read_text(encoding="utf-8"))):
        set_option(name, value)
    logger.set_log_level(config.get_option("logger.level").upper())


def list_options(tables: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the options of TOML tables, such as `theme.dark.primaryColor`, with their values."""
    for name, value in tables.items():
        if isinstance(value, dict):
            yield from list_options(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def set_option(name: str, value: object) -> None:
    """Set one of Streamlit's options. Raises `BadSettings` where it does not hold afterwards."""
    from streamlit import config

    config.set_option(name, value)
    try:
        held = config.get_option(name) == value
    except RuntimeError:  # there is no such option
        held = False
    if not held:
        raise BadSettings(
            f"Streamlit {st.__version__} has no option {name}; install the version that constraints.txt names"
        )


def put_behind_gate() -> dict[str, Any]:
    """Routes and middleware of a hosted server, by which nobody reaches a page without a sign-in.

    Raises `BadSettings`, as well where this version of Streamlit does not bind sessions to their owners, and
    `UnusableDatabase`.
    """
    from starlette.middleware import Middleware
    from streamlit import file_util

    from relevance.data.database import check_writable, connect, fix_database
    from relevance.hosting.content_security import content_security_policy
    from relevance.hosting.exports import ExportRoutes
    from relevance.hosting.gate import HEADER, Gate, SecurityHeaders
    from relevance.hosting.oidc import all_routes
    from relevance.hosting.operations import Counters
    from relevance.hosting.routes import SiteRoutes
    from relevance.hosting.services import Services
    from relevance.pages.computing.page_pool import open_pool

    settings = hosted_settings()
    options = {
        "server.trustedUserHeaders": {HEADER: "sign_in"},
        "server.cookieSecret": settings.secret,
        # whatever a configuration of Streamlit's on this machine says
        "server.enableXsrfProtection": True,
        "server.enableCORS": True,
    }
    for name, value in options.items():
        set_option(name, value)
    check_binding(HEADER)
    from relevance.pages.components.shared import binding

    engine = connect(fix_database())
    check_writable(engine)
    services, counters = Services.over(engine, settings), Counters()
    counters.waiting.set_function(open_pool().count_waiting)
    page = Path(file_util.get_static_dir(), "index.html").read_text(encoding="utf-8")
    policy = content_security_policy(page, settings.public_url, scripts="blob:")  # our components' scripts
    return {
        "routes": [*all_routes(SiteRoutes(services, counters)), *ExportRoutes(services).routes(), *list_routes()],
        "middleware": [
            Middleware(SecurityHeaders, policy=policy, secure=settings.secure),
            Middleware(Gate, services=services, counters=counters, pages=binding),
        ],
    }


def check_binding(header: str) -> None:
    """Raise `BadSettings` where Streamlit does not learn from the gate whose page is whose."""
    from starlette.datastructures import Headers

    try:
        from streamlit.web.server.starlette.starlette_websocket import gather_user_info

        from relevance.pages.components.shared.binding import is_possible

        bound = gather_user_info(Headers({header: "somebody"})) == {"sign_in": "somebody"} and is_possible()
    except ImportError:
        bound = False
    if not bound:
        raise BadSettings(
            f"Streamlit {st.__version__} does not bind sessions to who is signed in; install the version that "
            "constraints.txt names"
        )


set_up_streamlit()
app = st.App(
    Path(__file__).resolve().parent / "pages" / "main.py",
    lifespan=lifespan,
    **(put_behind_gate() if is_hosted() else {"routes": list_routes()}),
)
