"""Telling whoever wants to know."""

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Listeners(Generic[T]):
    """Callbacks in the order of subscription. One that fails is logged and does not silence the others."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[T], None]] = []

    def add(self, callback: Callable[[T], None]) -> Callable[[], None]:
        """Subscribes; call the result to unsubscribe."""
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    def tell(self, news: T) -> None:
        """Calls everybody who is subscribed now."""
        for callback in tuple(self._callbacks):
            try:
                callback(news)
            except Exception:  # noqa: BLE001  whatever it is, it is not the teller's
                _log.exception("a listener failed")
