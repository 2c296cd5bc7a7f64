"""What adapters send and get, kept at the transport while they talk to a running program."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from email import message_from_bytes, policy
from typing import Any
from urllib.parse import parse_qsl, unquote

import httpx


@dataclass(frozen=True)
class Exchange:
    """A request and its answer.

    Attributes:
        path: Below the platform's host, percent-encoding undone.
        raw_query: As it was sent.
        headers: Names in lower case.
    """

    method: str
    path: str
    raw_query: str
    headers: Mapping[str, str]
    body: bytes
    status: int
    answer_headers: Mapping[str, str]
    answer: bytes

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def query(self) -> dict[str, str]:
        return dict(parse_qsl(self.raw_query, keep_blank_values=True))

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").partition(";")[0]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def answered(self) -> Any:
        """The answer's JSON; None for anything else."""
        try:
            return json.loads(self.answer)
        except ValueError:
            return None

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form of either kind; a file's is its content type."""
        if self.content_type == "application/x-www-form-urlencoded":
            return dict(parse_qsl(self.body.decode(), keep_blank_values=True))
        head = f"Content-Type: {self.headers['content-type']}\r\n\r\n".encode()
        fields = {}
        for part in message_from_bytes(head + self.body, policy=policy.HTTP).iter_parts():
            name = str(part.get_param("name", header="content-disposition"))
            is_file = part.get_filename() is not None
            fields[name] = part.get_content_type() if is_file else str(part.get_payload())
        return fields


class Recorder(httpx.AsyncBaseTransport):
    """The network, with every exchange kept in ``kept``; ``base`` is the address of the platform's host."""

    def __init__(self, base: str, kept: list[Exchange]) -> None:
        self._inner = httpx.AsyncHTTPTransport()
        self._base = httpx.URL(base).path
        self._kept = kept

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        body = await request.aread()
        response = await self._inner.handle_async_request(request)
        answer = await response.aread()
        await response.aclose()
        self._kept.append(
            Exchange(
                method=request.method,
                path=unquote(request.url.raw_path.decode().partition("?")[0]).removeprefix(self._base),
                raw_query=request.url.query.decode(),
                headers=dict(request.headers),
                body=body,
                status=response.status_code,
                answer_headers=dict(response.headers),
                answer=answer,
            )
        )
        return httpx.Response(response.status_code, headers=response.headers, content=answer)

    async def aclose(self) -> None:
        await self._inner.aclose()
