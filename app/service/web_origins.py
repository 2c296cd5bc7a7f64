"""Addresses of web servers in settings: scheme, host and port, and nothing more."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from app.contract.base import HttpUrl


def _require_origin(value: str) -> str:
    parts = urlsplit(value.rstrip("/"))
    if parts.scheme != "https" or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ValueError("must be https://HOST or https://HOST:PORT and nothing more")
    return value.rstrip("/")


HttpsOrigin = Annotated[HttpUrl, AfterValidator(_require_origin)]
"""Such as ``https://plan.example``, without a slash at the end."""
