"""The content security policy: what a page of the app may load and run."""

import base64
import hashlib
import re

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(page: str, public_url: str, *, scripts: str = "") -> str:
    """The policy for a page of Streamlit's, whose inline scripts are named by their hashes.

    `page` is its HTML; `scripts` are further sources of scripts. Styles are inline: Streamlit writes them as it draws.
    """
    hashes = " ".join(f"'sha256-{sha256(text)}'" for text in INLINE.findall(page))
    socket = re.sub("^http", "ws", public_url)
    return "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {hashes} 'wasm-unsafe-eval' {scripts}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' blob:",
            f"connect-src 'self' {socket}",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            "frame-ancestors 'none'",
        )
    )


def sha256(text: str) -> str:
    """The hash of a script as policies write it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
