"""The operation of the server: its figures for Prometheus, and its log."""

import json
import logging
from datetime import UTC, datetime
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import Scope

LATENCIES = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 2, 5, 10)
"""Upper ends of the histogram's bins, in seconds."""


class Counters:
    """The figures of this worker."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "relevance_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self.seconds = Histogram(
            "relevance_request_seconds", "Time of a request.", ["route"], buckets=LATENCIES, registry=self.registry
        )
        self.sockets = Gauge("relevance_open_pages", "Open pages, a WebSocket each.", registry=self.registry)
        self.sign_ins = Gauge("relevance_sign_ins", "Valid sign-ins.", registry=self.registry)
        self.judgments = Gauge("relevance_judgments", "Judgments in the database.", registry=self.registry)
        self.waiting = Gauge(
            "relevance_waiting_tables",
            "Tables and lists that wait for a process to compute them.",
            registry=self.registry,
        )

    def count(self, scope: Scope, route: str, status: int, seconds: float) -> None:
        """Count an answered request; a WebSocket counts when it ends."""
        method = scope.get("method", "WEBSOCKET")
        self.requests.labels(method if method in METHODS else "other", route, str(status)).inc()
        if scope["type"] == "http":
            self.seconds.labels(route).observe(seconds)


METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "WEBSOCKET"}


class JsonLines(logging.Formatter):
    """A formatter of log records as lines of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return time, level, logger and message as JSON."""
        status: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            status["error"] = self.formatException(record.exc_info)
        return json.dumps(status | getattr(record, "said", {}), ensure_ascii=True)


def log_as_json() -> None:
    """Write the log of this process to standard error as lines of JSON."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("relevance").setLevel(logging.INFO)
    for logger in list(logging.Logger.manager.loggerDict.values()):
        if isinstance(logger, logging.Logger):  # Streamlit's have a format of their own
            logger.handlers.clear()
            logger.propagate = True
