"""Callbacks that subscribe to news."""

import logging
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Listeners(Generic[T]):
    """Callbacks in the order of subscription. A failing one is logged and doesn't affect the others."""

    def __init__(self) -> None:
        self._callbacks: list[Callable[[T], None]] = []

    def add(self, callback: Callable[[T], None]) -> Callable[[], None]:
        """Subscribe; call the result to unsubscribe."""
        self._callbacks.append(callback)

        def remove() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return remove

    def tell(self, news: T) -> None:
        """Call all current subscribers."""
        for callback in tuple(self._callbacks):
            try:
                callback(news)
            except Exception:  # noqa: BLE001  whatever it is, it is not the teller's
                _log.exception("a listener failed")
