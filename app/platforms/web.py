"""Addresses that platforms hand out."""

from typing import Final
from urllib.parse import urlsplit

_LONGEST: Final = 4096


def web_address(address: str | None) -> str | None:
    """An http or https address as it is; None for anything else."""
    if address is None or len(address) > _LONGEST or not address.isprintable():
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in {"http", "https"} and parts.hostname else None
