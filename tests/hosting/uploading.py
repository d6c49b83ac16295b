"""Files sent to an open page of a hosted server."""

import httpx
from streamlit.web.server.starlette.starlette_app_utils import generate_xsrf_token_string

from relevance.hosting.gate import UPLOADS
from tests.hosting.house import House
from tests.hosting.tabs import Tab

XSRF = generate_xsrf_token_string()
"""The token by which a page shows that it is one; any will do that stands in the cookie, too."""


def headers_of(token: str) -> dict[str, str]:
    """The headers with which a browser sends a file."""
    return {"X-Xsrftoken": XSRF, "Cookie": f"relevance={token}; _streamlit_xsrf={XSRF}"}


def address_of(tab: Tab, file_id: str = "file") -> str:
    """Where a file is sent to."""
    return f"{UPLOADS}{tab.session}/{file_id}"


def upload(house: House, tab: Tab, token: str, name: str, content: bytes, *, file_id: str = "file") -> httpx.Response:
    """Send a file to a page."""
    with house.client() as client:
        return client.put(address_of(tab, file_id), headers=headers_of(token), files={"file": (name, content)})
