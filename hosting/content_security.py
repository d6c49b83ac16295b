"""The content security policy: what a page of the app may load and run."""

import base64
import hashlib
import re

INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def content_security_policy(page: str, public_url: str, *, scripts: str = "") -> str:
    """Return the policy for a page of Streamlit, with the hashes of its inline scripts.

    `page` is its HTML; `scripts` are further sources of scripts. Inline styles are allowed: Streamlit adds them as it
    draws.
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
    """Return the hash of a script as policies write it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
