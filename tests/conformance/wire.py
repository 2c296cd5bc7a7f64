"""A client for any service that follows the specification. It adds nothing and hides nothing."""

import json
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Self

import httpx

from tests.conformance.outcome import BrokenError, expect, same

CODES: Final = MappingProxyType(
    {
        "validation_error": 400,
        "unauthorized": 401,
        "forbidden": 403,
        "not_found": 404,
        "rate_limited": 429,
        "internal_error": 500,
    }
)
"""The codes in the table Errors, with their statuses."""
_LONGEST_WAIT_S: Final = 300.0
_SHORTEST_WAIT_S: Final = 0.05
_TIMEOUT_S: Final = 40.0
_SHOWN: Final = 300


@dataclass(frozen=True, slots=True)
class Answer:
    """Response to a call."""

    call: str
    status: int
    headers: httpx.Headers
    content: bytes

    @property
    def text(self) -> str:
        return self.content.decode("utf-8", "replace")

    @property
    def body(self) -> Any:
        """The JSON body. Raises BrokenError if it isn't JSON or isn't declared as JSON."""
        declared = self.headers.get("content-type", "")
        expect(declared.startswith("application/json"), f"{self.call} answers with the type {declared!r}")
        try:
            return json.loads(self.content)
        except ValueError:
            raise BrokenError(f"{self.call} answers {self.status} with what is no JSON") from None

    def given(self) -> Any:
        """The body of a response that must be successful. Raises BrokenError."""
        expect(200 <= self.status < 300, f"{self.call} answers {self.status}: {self.text[:_SHOWN]}")
        return self.body

    def refused(self, code: str) -> dict[str, Any]:
        """Return the body, which must be the envelope of this error. Raises BrokenError."""
        status = CODES[code]
        expect(
            self.status == status,
            f"{self.call} answers {self.status}, expected {status} {code}: {self.text[:_SHOWN]}",
        )
        body = self.body
        check_envelope(body)
        same(body["error"]["code"], code, f"the code of {self.call}")
        envelope: dict[str, Any] = body
        return envelope

    def names(self, field: str) -> None:
        """Require a validation error whose details name this field. Raises BrokenError."""
        error = self.refused("validation_error")["error"]
        said = json.dumps([error.get("details"), error["message"]])
        expect(field in said, f"{self.call} is refused, but the details do not name {field}: {said[:_SHOWN]}")


def check_envelope(body: Any) -> None:
    """Raise BrokenError unless this is an error envelope."""
    expect(isinstance(body, dict) and isinstance(body.get("error"), dict), f"no error envelope: {body!r}")
    error = body["error"]
    expect(error.get("code") in CODES, f"error.code is {error.get('code')!r}")
    expect(isinstance(error.get("message"), str) and error["message"], "error.message is no text")
    expect(isinstance(body.get("request_id"), str) and body["request_id"], "request_id is no text")


class Client:
    """Calls below ``/api/v1`` with one key, or none."""

    def __init__(self, base_url: str, key: str | None, trust: ssl.SSLContext) -> None:
        self.base_url = base_url
        self.key = key
        self.trust = trust
        limits = httpx.Limits(max_connections=40, max_keepalive_connections=40, keepalive_expiry=2)
        self._turn = threading.Lock()
        self._http = httpx.Client(verify=trust, trust_env=False, timeout=_TIMEOUT_S, limits=limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._http.close()

    def get(self, path: str, **query: Any) -> Answer:
        return self.call("GET", path, query=query)

    def post(self, path: str, body: Any = None) -> Answer:
        return self.call("POST", path, body=body)

    def patch(self, path: str, body: Any) -> Answer:
        return self.call("PATCH", path, body=body)

    def delete(self, path: str, **query: Any) -> Answer:
        return self.call("DELETE", path, query=query)

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Make a call with a JSON or raw body, waiting if the rate is limited."""
        raw = content if body is None else json.dumps(body).encode()
        answer = self.send(method, path, query=query, content=raw, headers=headers)
        if answer.status != CODES["rate_limited"]:
            return answer
        until = time.monotonic() + _LONGEST_WAIT_S
        with self._turn:  # one after the other, or all wake up for the one call that is free
            while answer.status == CODES["rate_limited"] and time.monotonic() < until:
                details = answer.body["error"].get("details") or {}
                time.sleep(float(details.get("retry_after_seconds", 1)) + _SHORTEST_WAIT_S)
                answer = self.send(method, path, query=query, content=raw, headers=headers)
        return answer

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        prefix: str = "/api/v1",
    ) -> Answer:
        """Make exactly one call with these bytes."""
        sent = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        if content is not None:
            sent["Content-Type"] = "application/json"
        answer = self._http.request(
            method,
            f"{self.base_url}{prefix}{path}",
            params={name: _text(value) for name, value in (query or {}).items()} or None,
            content=content,
            headers={**sent, **(headers or {})},
        )
        return Answer(f"{method} {path}", answer.status_code, answer.headers, answer.content)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
