"""Looking posts up one by one: those that are due, and those of which something may have been missed."""

import asyncio
from collections.abc import Iterable

from app.client import NotFound
from app.contract.enums import PostStatus
from app.workspace.core import Core
from app.workspace.sync.due import DuePosts
from app.workspace.sync.explaining import Explanations
from app.workspace.sync.intake import Intake

_IN_A_ROUND = 100
_AT_ONCE = 8


class Looks:
    """Which posts to look up now, and doing so."""

    def __init__(self, core: Core, intake: Intake, explanations: Explanations) -> None:
        self._core = core
        self._intake = intake
        self._explanations = explanations
        self._due = DuePosts(core.mirror, core.clock, core.pace)
        self._asked: dict[str, None] = {}

    def add(self, keys: Iterable[str]) -> None:
        """These posts are to be looked up soon."""
        self._asked.update(dict.fromkeys(keys))

    def note(self, keys: frozenset[str]) -> None:
        """These posts changed."""
        self._due.note(keys)

    def start_over(self) -> None:
        """Everything was just listed."""
        self._due.watch_all()

    def take(self, *, followed: bool) -> list[str]:
        """What to look up now. While the service tells of changes by itself, only what is long overdue."""
        mirror = self._core.mirror
        self._asked.update(dict.fromkeys(self._intake.take_passed_over()))
        asked = [key for key in self._asked if key not in mirror.sending][:_IN_A_ROUND]
        pace = self._core.pace
        delay = pace.due_delay_followed if followed else pace.due_delay
        return list(dict.fromkeys((*asked, *self._due.take(_IN_A_ROUND, delay))))

    async def look_at(self, keys: list[str]) -> None:
        """Looks all of them up. Raises ClientError or DatabaseError."""
        gone: list[str] = []
        try:
            for start in range(0, len(keys), _AT_ONCE):
                part = keys[start : start + _AT_ONCE]
                found = await asyncio.gather(*map(self._look, part))
                gone += [key for key, is_there in zip(part, found, strict=True) if not is_there]
        finally:
            await self._intake.miss(gone)

    async def _look(self, key: str) -> bool:
        """Whether the service has the post, as far as it was asked."""
        is_there = True
        service_id = self._core.mirror.service_id(key)
        if service_id is not None and key in self._core.mirror.timeline:
            asked = self._core.mirror.generation
            try:
                post = await self._core.client.get_post(service_id)
            except NotFound:
                is_there = False
            else:
                await self._intake.take([post], asked)
                if post.status is PostStatus.PROCESSING:
                    self._explanations.add(key)
        self._asked.pop(key, None)
        return is_there
