"""What a request to a user-provided URL returns, and why it failed, in messages for that user."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field


class OutboundError(Exception):
    """The request failed. The message is a short sentence for the user."""


class AddressRefusedError(OutboundError):
    """The address may not be called. Nothing was connected to."""


class PrivateTargetError(AddressRefusedError):
    """The address is private or reserved."""

    def __init__(self) -> None:
        super().__init__("The address is private or reserved. Only public addresses are allowed.")


class OutboundTimeoutError(OutboundError):
    """No complete response in time. The request may have arrived."""


class OutboundFailedError(OutboundError):
    """No connection, a broken one, or an unacceptable response. The request may have arrived."""


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
