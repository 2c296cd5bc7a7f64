"""A setting that changes in memory immediately, and changes back if it can't be written."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar

from pydantic import TypeAdapter

from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.problems import as_problem
from app.workspace.store.tables import get_setting, put_setting

T = TypeVar("T")


class StoredValue(Generic[T]):
    """The value of a setting, None without one. The coroutines raise Problem."""

    def __init__(
        self,
        core: Core,
        name: str,
        shape: TypeAdapter[T],
        on_change: Callable[[T | None], None] = lambda _value: None,
    ) -> None:
        """``on_change`` is called with the newest value whenever it's another one."""
        self._core, self._name, self._shape = core, name, shape
        self._on_change = on_change
        self._puts = 0
        self._is_loaded = False
        self._stored: T | None = None
        self.value: T | None = None
        """The newest value, once loaded."""

    async def load(self) -> T | None:
        """Load the value, once. A value set before stays."""
        if not self._is_loaded:
            kept = await self._core.read(lambda rows: get_setting(rows, self._name, self._shape))
            if not self._is_loaded:
                self._is_loaded, self._stored = True, kept
                if not self._puts:
                    self._show(kept)
        return self.value

    async def put(self, value: T | None) -> None:
        """Set and store the value; None removes it.

        If it can't be stored, the stored one is the value again, unless that can't be read either.
        """
        with suppress(Problem):  # then there's no value to return to
            await self.load()
        self._puts += 1
        number = self._puts
        self._show(value)
        written = asyncio.wrap_future(
            self._core.database.submit(lambda rows: put_setting(rows, self._name, value, self._shape))
        )
        # Not after the await, because the write goes on if the caller is cancelled.
        written.add_done_callback(lambda done: self._end(done, number, value))
        with as_problem():
            await asyncio.shield(written)

    def _end(self, written: asyncio.Future[None], number: int, value: T | None) -> None:
        if written.cancelled():
            return
        if written.exception() is None:
            self._is_loaded, self._stored = True, value
        elif self._is_loaded and number == self._puts:  # else a newer value is being written
            self._show(self._stored)

    def _show(self, value: T | None) -> None:
        if value != self.value:
            self.value = value
            self._on_change(value)
