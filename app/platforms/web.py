"""URLs returned by platforms, and splitting lists into batches."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

_LONGEST: Final = 4096


def web_address(address: str | None) -> str | None:
    """Return an http or https URL unchanged; None for anything else."""
    if address is None or len(address) > _LONGEST or not address.isprintable():
        return None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    return address if parts.scheme in {"http", "https"} and parts.hostname else None


def batched(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield the items in lists of at most ``size``."""
    rest = iter(items)
    while piece := list(islice(rest, size)):
        yield piece
