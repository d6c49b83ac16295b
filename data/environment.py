"""The environment of the processes that we start."""

import os
from collections.abc import Mapping

SECRETS = ("RELEVANCE_SECRET", "RELEVANCE_METRICS_TOKEN", "RELEVANCE_OIDC_SECRET")
"""Variables of a hosted server that only the process that answers requests may know."""


def without_secrets(**others: str) -> Mapping[str, str]:
    """Return this process's environment and `others`, without the secrets that forge or check sign-ins.

    Child processes run models and other people's libraries, and need none of them.
    """
    return {name: value for name, value in os.environ.items() if name not in SECRETS} | others
