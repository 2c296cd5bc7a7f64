"""Calls to a service that may be killed at any time, retried until they succeed."""

import ssl
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import cycle
from typing import Any, Final

import httpx

_PATIENCE_S: Final = 900.0
_PAUSE_S: Final = 0.1


class Api:
    """The specified API and the companion API, with patient retries.

    Attributes:
        repeated: Calls that were repeated, by what was wrong with the first one.
    """

    def __init__(self, base_url: str, ca_file: str, key: str, others: Sequence[str] = ()) -> None:
        """``others`` are more processes of the same installation. Each call goes to the next one."""
        self.repeated: Counter[str] = Counter()
        self._processes = cycle((base_url, *others))
        self._http = httpx.Client(
            verify=ssl.create_default_context(cafile=ca_file),
            headers={"Authorization": f"Bearer {key}"},
            trust_env=False,
            timeout=60,
        )

    def close(self) -> None:
        self._http.close()

    def call(self, method: str, path: str, **arguments: Any) -> httpx.Response:
        """Return the response, after any number of retries: all calls here are idempotent.

        A path is relative to ``/api/v1`` unless it's in the companion API.
        """
        path = path if path.startswith("/companion/") else f"/api/v1{path}"
        end = time.monotonic() + _PATIENCE_S
        while True:
            try:
                answer = self._http.request(method, next(self._processes) + path, **arguments)
                if answer.status_code < 500:
                    return answer
                problem, last = str(answer.status_code), answer.text
            except httpx.TransportError as error:
                problem, last = type(error).__name__, repr(error)
            self.repeated[problem] += 1
            if time.monotonic() > end:
                raise TimeoutError(f"{method} {path} was not answered: {last}")
            time.sleep(_PAUSE_S)

    def answer(self, method: str, path: str, **arguments: Any) -> dict[str, Any]:
        """Return the body of a response, which must be successful."""
        answer = self.call(method, path, **arguments)
        if not answer.is_success:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        body: dict[str, Any] = answer.json()
        return body

    def pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """Yield everything in a list."""
        cursor: str | None = None
        while True:
            asked = {**query, "limit": 100} | ({"cursor": cursor} if cursor else {})
            page = self.answer("GET", path, params=asked)
            yield from page["data"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def attempts(self, post_id: str) -> list[dict[str, Any]]:
        """Return every attempt to publish a post; none for a deleted post."""
        answer = self.call("GET", f"/companion/v1/posts/{post_id}/attempts")
        return list(answer.json()["data"]) if answer.is_success else []


def instant(text: str) -> datetime:
    """Parse a timestamp of the API."""
    return datetime.fromisoformat(text)
