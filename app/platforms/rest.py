"""Calls to a platform's API with an access token: bodies with files, and the meaning of responses."""

import base64
import json
import secrets
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Final, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from app.platforms.base import Chunks, Departure, FailureKind, Media, PlatformError
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer


def part_of(media: Media, first: int, size: int, content_type: str | None = None) -> Body:
    """Return a body with ``size`` bytes of a file, starting at ``first``."""
    return Body(content_type or media.content_type, size, partial(_opened, media, first, size))


def whole(media: Media, content_type: str | None = None) -> Body:
    """Return a body with a whole file."""
    return part_of(media, 0, media.size, content_type)


def in_form(fields: Mapping[str, str], name: str, filename: str, content: Body) -> Body:
    """Return a form (multipart/form-data) whose last field is a file."""
    boundary = secrets.token_hex(16)
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(key)}"\r\n\r\n{value}\r\n'
        for key, value in fields.items()
    ]
    parts.append(
        f'--{boundary}\r\nContent-Disposition: form-data; name="{_quoted(name)}";'
        f' filename="{_quoted(filename)}"\r\n'
        f"Content-Type: {content.content_type}\r\n\r\n"
    )
    head, tail = "".join(parts).encode(), f"\r\n--{boundary}--\r\n".encode()

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        async with content.open() as chunks:
            yield _framed(head, chunks, tail)

    size = len(head) + content.size + len(tail)
    return Body(f"multipart/form-data; boundary={boundary}", size, opened)


def in_json(document: Callable[[str], Mapping[str, object]], media: Media) -> Body:
    """Return a JSON document with a file in base64, in place of the text passed to ``document``."""
    marker = secrets.token_hex(16)
    head, _, tail = json.dumps(document(marker)).encode().partition(marker.encode())

    @asynccontextmanager
    async def opened() -> AsyncIterator[Chunks]:
        async with media.open(0) as chunks:
            yield _framed(head, _base64(_limited(chunks, media.size)), tail)

    size = len(head) + 4 * ((media.size + 2) // 3) + len(tail)
    return Body("application/json", size, opened)


@asynccontextmanager
async def _opened(media: Media, first: int, size: int) -> AsyncIterator[Chunks]:
    async with media.open(first) as chunks:
        yield _limited(chunks, size)


async def _limited(chunks: Chunks, size: int) -> Chunks:
    """Yield the first ``size`` bytes. Raises OSError if the file has fewer."""
    left = size
    async for chunk in chunks:
        if piece := chunk[:left]:
            left -= len(piece)
            yield piece
        if not left:
            return
    if left:
        raise OSError("The file ended early.")


async def _framed(head: bytes, chunks: Chunks, tail: bytes) -> Chunks:
    yield head
    async for chunk in chunks:
        yield chunk
    yield tail


async def _base64(chunks: Chunks) -> Chunks:
    rest = b""
    async for chunk in chunks:
        rest += chunk
        whole_groups = len(rest) - len(rest) % 3
        yield base64.b64encode(rest[:whole_groups])
        rest = rest[whole_groups:]
    yield base64.b64encode(rest)


def _quoted(name: str) -> str:
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


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


def until_reset(answer: Answer, header: str, now: datetime) -> float | None:
    """Return the seconds until calls are accepted again, from a platform's header or the standard one.

    The platform's header is the Unix time of the reset. Many responses carry it; it counts only in a refusal
    for too many calls.
    """
    reset = answer.headers.get(header, "")
    if answer.status == 429 and reset.isascii() and reset.isdigit() and len(reset) < 12:
        return max(0.0, int(reset) - now.timestamp())
    return retry_after(answer)


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


M = TypeVar("M", bound=BaseModel)


class RestApi:
    """One API. Every method that makes a call raises PlatformError for an error response.

    Args:
        http: Makes the calls.
        base: Prefix of all URLs, including the version.
        refused: Converts an error response.
    """

    def __init__(self, http: PlatformHttp, base: str, refused: Callable[[Answer], PlatformError]) -> None:
        self.http = http
        self._base = base
        self.refused = refused

    def address(self, path: str) -> str:
        return f"{self._base}/{path}"

    def call(
        self,
        method: str,
        path: str,
        token: str,
        *,
        params: Mapping[str, str] | None = None,
        json: Mapping[str, object] | None = None,
        form: Mapping[str, str] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> Call:
        """Return a call with an access token."""
        return Call(
            method=method,
            url=self.address(path),
            params=dict(params or {}),
            headers=bearer(token),
            json=json,
            form=form,
            body=body,
            creating=creating,
            secrets=(token,),
        )

    async def ask(self, call: Call) -> Answer:
        """Return the response to a call."""
        answer = await self.http.send(call)
        if not answer.is_success:
            raise self.refused(answer)
        return answer

    async def fetch(self, call: Call, model: type[M]) -> M:
        """Return the parsed response to a call."""
        answer = await self.ask(call)
        found = answer.read(model)
        if found is None:
            raise unexpected(answer, self.http.name)
        return found

    async def get(self, path: str, token: str, model: type[M], params: Mapping[str, str] | None = None) -> M:
        """GET a path and return the parsed response."""
        return await self.fetch(self.call("GET", path, token, params=params), model)

    async def post(
        self,
        path: str,
        token: str,
        model: type[M],
        *,
        json: Mapping[str, object] | None = None,
        form: Mapping[str, str] | None = None,
        body: Body | None = None,
        creating: Departure | None = None,
    ) -> M:
        """POST to a path and return the parsed response."""
        call = self.call("POST", path, token, json=json, form=form, body=body, creating=creating)
        return await self.fetch(call, model)
