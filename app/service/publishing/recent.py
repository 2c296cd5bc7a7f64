"""Values that are forgotten some time after they were last put."""

from collections import OrderedDict
from collections.abc import Hashable
from datetime import timedelta
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Recent(Generic[K, V]):
    """A mapping that drops what is older than ``kept`` whenever something is put.

    It only looks at the oldest, because thousands of posts a minute are noted and kept for hours.
    """

    def __init__(self, kept: timedelta) -> None:
        self._kept = kept
        self._values: OrderedDict[K, tuple[timedelta, V]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def put(self, key: K, value: V, now: timedelta) -> None:
        """Store a value. ``now`` may be a little earlier than the last one."""
        self._values[key] = now, value
        self._values.move_to_end(key)
        while now - next(iter(self._values.values()))[0] >= self._kept:
            self._values.popitem(last=False)

    def get(self, key: K) -> V | None:
        """Return a value; None if it's unknown or was dropped."""
        found = self._values.get(key)
        return None if found is None else found[1]

    def drop(self, key: K) -> None:
        """Forget a value, if it's known."""
        self._values.pop(key, None)
