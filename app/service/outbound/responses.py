"""What the client for user-provided URLs returns."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """Response to a POST. Its body isn't used."""

    status: int


@dataclass(frozen=True, slots=True)
class Download:
    """Response to a GET.

    Attributes:
        status: Status from the last server, whatever it is.
        content_type: Lowercase, without parameters; empty if the server doesn't send it.
        length: Announced length in bytes; None if unknown.
        chunks: The body, which can be read once. Raises OutboundFailedError if it breaks off or is too long.
        url: The final URL.
    """

    status: int
    content_type: str
    length: int | None
    chunks: AsyncIterator[bytes] = field(repr=False)
    url: str = field(repr=False)
