"""Serve the web app."""

from __future__ import annotations

import os
import socket
import sys

import click

from cli.shared import Refused, open_stores, report_refusals


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True, help="Port to listen on.")
@click.option("--open", "open_browser", is_flag=True, help="Open the app in a browser, where there is a screen.")
@report_refusals
def serve(host: str, port: int, open_browser: bool) -> None:
    """Start the app."""
    import uvicorn

    from data.database import ROOT, URL_VARIABLE, absolute_url, database_url

    os.environ[URL_VARIABLE] = absolute_url(database_url())
    os.chdir(ROOT)  # where Streamlit looks for .streamlit/config.toml
    from app import app

    open_stores()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the server will: a port just left is free
        try:
            probe.bind((host, port))
        except OSError as error:
            raise Refused(f"{host}:{port} cannot be listened on ({error.strerror}); try another --port") from error
    click.echo(f"The app is at http://{host}:{port}  (stop it with Ctrl-C)")
    has_screen = sys.platform in {"darwin", "win32"} or "DISPLAY" in os.environ or "WAYLAND_DISPLAY" in os.environ
    if open_browser and has_screen:
        import threading
        import webbrowser

        threading.Timer(1.5, webbrowser.open, [f"http://{host}:{port}"]).start()
    uvicorn.run(app, host=host, port=port, lifespan="on", log_level="warning", access_log=False)
