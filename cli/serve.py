"""The command `serve`: the web app."""

import os
import socket
import sys
import threading
import webbrowser
from pathlib import Path
from typing import Any

import click
from sqlalchemy import Engine, make_url

from relevance.cli.shared import Refused, remark_on_place, report_refusals, say
from relevance.cli.workers import Workers, end_with_parent
from relevance.data.damage import QUICK
from relevance.data.database import (
    check_writable,
    connect,
    database_url,
    fix_database,
    make_engine,
    refuse_damaged,
    sqlite_file,
)
from relevance.data.distribution import how_to_install
from relevance.hosting.accounts import AccountStore
from relevance.hosting.settings import HOSTED, Settings, hosted_settings


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port to listen on.")
@click.option("--open", "open_browser", is_flag=True, help="Open the app in a browser, if there is a screen.")
@click.option(
    "--hosted",
    is_flag=True,
    help="Serve many people, who must sign in. Needs an owner (`relevance user add`), RELEVANCE_SECRET and "
    "RELEVANCE_PUBLIC_URL; see docs/hosting.md.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    help="With --hosted: number of servers, at this port and the following ones, behind a proxy. Needs PostgreSQL.",
)
@report_refusals
def serve(host: str, port: int, open_browser: bool, hosted: bool, workers: int) -> None:
    """Start the app."""
    import uvicorn

    if (remark := remark_on_place()) is not None:
        say(remark)
    address = make_url(fix_database())
    place = sqlite_file(address) or address.render_as_string()  # without a password
    if workers > 1:
        check_workers(hosted, port, workers)
    refuse_damaged(make_engine(database_url()).url, most=QUICK)
    settings = prepare_hosting() if hosted else None
    os.chdir(Path(__file__).parents[1])  # where Streamlit finds our .streamlit/config.toml, and nobody else's
    engine = connect(say=say)
    if hosted:
        check_writable(engine)
        check_owner(engine)
    if workers > 1:
        ports = range(port, port + workers)
        click.echo(f"Servers at {host}:{ports[0]} to {ports[-1]}, for {settings and settings.public_url}, on {place}")
        Workers(host, ports).run()
        return
    end_with_parent()
    from relevance.app import app

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will: a port just left is free
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Refused(f"{host}:{port} cannot be listened on ({error.strerror}); try another --port") from error
    url = settings.public_url if settings else f"http://{host}:{port}"
    click.echo(f"The app is at {url}  (stop it with Ctrl-C)\nIts database is {place}")
    has_screen = sys.platform in {"darwin", "win32"} or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if open_browser and has_screen:
        threading.Timer(1.5, webbrowser.open, [f"http://{host}:{port}"]).start()
    uvicorn.run(
        app,
        host=host,
        port=port,
        lifespan="on",
        log_level="warning",
        access_log=False,
        **({} if settings is None else options_behind_proxy(settings)),
    )


def check_workers(hosted: bool, port: int, workers: int) -> None:
    """Refuse several servers that could not work together."""
    if not hosted:
        raise Refused("--workers is for --hosted; on your own machine one server is enough")
    if make_url(database_url()).get_backend_name() == "sqlite":
        raise Refused("several workers need PostgreSQL: SQLite has one writer, and its file is locked by one machine")
    if port + workers > 65536:
        raise Refused(f"there are no {workers} ports from {port} on")


def prepare_hosting() -> Settings:
    """Check the settings and libraries of a hosted server. Raises errors that the command reports."""
    os.environ[HOSTED] = "1"
    settings = hosted_settings()
    try:
        import argon2  # noqa: F401
        import prometheus_client  # noqa: F401
    except ModuleNotFoundError as error:
        raise Refused(f"{error.name} is not installed: {how_to_install('hosted')}") from error
    return settings


def check_owner(engine: Engine) -> None:
    """Refuse to serve without an owner."""
    if not AccountStore(engine).has_owner():
        raise Refused("the server has no owner; add one with  relevance user add NAME --role owner")


def options_behind_proxy(settings: Settings) -> dict[str, Any]:
    """Return uvicorn's options for many people; a configured proxy is trusted about where requests come from."""
    return {
        "proxy_headers": settings.proxy is not None,
        "forwarded_allow_ips": settings.proxy or "",
        "server_header": False,
        "log_config": None,
        "ws_max_size": 4 * 2**20,
        "ws_per_message_deflate": False,  # a few kilobytes could unpack to 4 MiB, dozens of times at once
    }
