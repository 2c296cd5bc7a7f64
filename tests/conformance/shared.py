"""Objects shared by one run of the suite: clients, the receiver, and more. Thread-safe."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from tests.conformance.outcome import NotTriedError
from tests.conformance.receiver import Receiver
from tests.conformance.target import Target
from tests.conformance.wire import Client

T = TypeVar("T")


class Shared:
    """Objects created once per run."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._open = ExitStack()
        self._lock = threading.Lock()
        self._made: dict[str, Future[Any]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._open.close()

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return (or raise) the result of the first ``make`` for ``name``."""
        with self._lock:
            future = self._made.get(name)
            first = future is None
            if future is None:
                future = self._made[name] = Future()
        if first:
            try:
                future.set_result(make())
            except Exception as error:  # noqa: BLE001  handed to every rule that asks
                future.set_exception(error)
        result: T = future.result()
        return result

    def client(self, key: str) -> Client:
        """Return a client with a named key, or "none". Strict keys use the strict service."""
        where = "strict" if key.startswith("strict") else "main"
        url = self.target.strict_url if where == "strict" else self.target.base_url
        if url is None:
            raise NotTriedError("needs --strict-url: a service that limits rates and reaches no network")
        secret = None if key == "none" else self.target.key(key)
        made = Client(url, secret, self.target.trusted[where])
        return self.once(f"client {key}", lambda: self._open.enter_context(made))

    def at_the_end(self, call: Callable[..., object], *arguments: Any, **options: Any) -> None:
        """Call a function at the end of the run."""
        self._open.callback(call, *arguments, **options)

    def holding(self, name: str) -> threading.Lock:
        """Return a lock for what only one rule at a time can test, such as a nearly full account."""
        return self.once(f"lock {name}", threading.Lock)

    def receiver(self) -> Receiver:
        return self.once("receiver", lambda: self._open.enter_context(Receiver(self.target.receiver_ca)))
