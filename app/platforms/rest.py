"""Calls to a platform's API with an access token, and the meaning of responses."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, TypeVar
from urllib.parse import urlsplit

from pydantic import BaseModel

from app.platforms.base import Departure, FailureKind, PlatformError
from app.platforms.http import Answer, Body, Call, PlatformHttp, bearer


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
