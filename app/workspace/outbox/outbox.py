"""Sends what is wanted, in order for one post and side by side for several, until it is confirmed."""

import asyncio
import logging
from functools import partial

from app.client import (
    ClientError,
    RateLimited,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
)
from app.database import DatabaseError
from app.workspace.changes import Changes
from app.workspace.core import Core
from app.workspace.outbox.delivery import Delivery
from app.workspace.store.journal import Journal
from app.workspace.sync.link import Link

_PARALLEL = 8

_log = logging.getLogger(__name__)

_CONCERNS_ALL = (ServiceUnreachable, TimedOut, Unauthorized, RateLimited)


class Outbox:
    """Runs until cancelled. What is cancelled in mid-call stays wanted, and is sent again after a restart."""

    def __init__(self, core: Core, journal: Journal, link: Link, delivery: Delivery) -> None:
        self._core = core
        self._journal = journal
        self._link = link
        self._delivery = delivery
        self._wake = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[str, int] = {}
        self._not_before: dict[str, float] = {}

    def wake(self) -> None:
        """Something may have become ready to be sent."""
        self._wake.set()

    async def run(self) -> None:
        try:
            while True:
                self._wake.clear()
                self._start_ready()
                if not self._tasks:
                    self._delivery.refusals.tell()
                await self._pause()
        finally:
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start_ready(self) -> None:
        if self._link.blocked or self._link.wait:
            return
        # While the service is away, one post is enough to find out that it is back.
        room = (_PARALLEL if self._link.connected else 1) - len(self._tasks)
        now = asyncio.get_running_loop().time()
        for key in tuple(self._core.mirror.intentions):
            if room <= 0:
                return
            if self._is_ready(key, now):
                self._start(key)
                room -= 1

    def _is_ready(self, key: str, now: float) -> bool:
        held = key in self._core.mirror.sending or key in self._core.mirror.conflicts
        return not held and self._journal.is_saved(key) and self._not_before.get(key, 0.0) <= now

    def _start(self, key: str) -> None:
        self._show_sending(key, sending=True)
        task = asyncio.get_running_loop().create_task(self._send(key))
        self._tasks.add(task)
        task.add_done_callback(partial(self._finished, key))

    def _finished(self, key: str, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            _log.error("a change could not be sent", exc_info=error)
            self._put_off(key)
        self._wake.set()

    async def _send(self, key: str) -> None:
        try:
            await self._delivery.deliver(key)
        except _CONCERNS_ALL as error:
            self._link.failed(error)
        except ClientError as error:
            _log.info("a change could not be sent: %s", type(error).__name__)  # maybe this one post's alone
            self._put_off(key)
        except DatabaseError:
            _log.exception("a confirmation could not be kept; it is asked for again")
            self._put_off(key)
        else:
            self._failures.pop(key, None)
            self._not_before.pop(key, None)
            self._link.succeeded()
        finally:
            self._show_sending(key, sending=False)

    def _put_off(self, key: str) -> None:
        self._failures[key] = failures = self._failures.get(key, 0) + 1
        pace = self._core.pace
        delay = min(pace.backoff_max, pace.backoff * 2.0 ** min(failures, 16))
        self._not_before[key] = asyncio.get_running_loop().time() + delay

    def _show_sending(self, key: str, *, sending: bool) -> None:
        self._core.mirror.set_sending(key, sending=sending)
        if key in self._core.mirror.timeline:
            self._core.changes.tell(Changes(posts=frozenset((key,)), sync=True))

    async def _pause(self) -> None:
        waits = [wait for wait in self._waits() if wait > 0]
        try:
            async with asyncio.timeout(min(waits) if waits else None):
                await self._wake.wait()
        except TimeoutError:
            pass

    def _waits(self) -> list[float]:
        now = asyncio.get_running_loop().time()
        if not self._core.mirror.intentions:
            return []
        return [self._link.wait, *(until - now for until in self._not_before.values())]
