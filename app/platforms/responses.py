"""The meaning of responses: errors, unexpected content, and URLs."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final
from urllib.parse import urlsplit

from app.platforms.base import FailureKind, PlatformError
from app.platforms.http import Answer


def kind_of(answer: Answer) -> FailureKind:
    """Return the kind of failure for a response, judging only by its status.

    Only a 4xx proves that a publishing call was refused: after any other status the post may exist.
    """
    match answer.status:
        case 401:
            return FailureKind.AUTH_EXPIRED
        case 402:
            return FailureKind.QUOTA
        case 403:
            return FailureKind.PERMISSION
        case 429:
            return FailureKind.RATE_LIMITED
        case status if 400 <= status < 500 and status != 408:
            return FailureKind.INVALID
    return FailureKind.TRANSIENT if answer.call.creating is None else FailureKind.AMBIGUOUS


def retry_after(answer: Answer) -> float | None:
    """Return the seconds to wait from the standard header."""
    value = answer.headers.get("retry-after", "")
    return float(value) if value.isascii() and value.isdigit() and len(value) < 8 else None


def unexpected(answer: Answer, name: str) -> PlatformError:
    """Return the error for a success with an unexpected body. After a publishing call, the post may exist."""
    kind = FailureKind.TRANSIENT if answer.call.creating is None else FailureKind.AMBIGUOUS
    return PlatformError(
        kind, "unexpected_answer", f"{name} answered {answer.status} with an unreadable response."
    )


def no_address(name: str) -> PlatformError:
    """Return the error for an upload URL that is missing or not on the platform's hosts."""
    return PlatformError(
        FailureKind.TRANSIENT, "upload_address", f"{name} returned no upload URL for the file."
    )


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
