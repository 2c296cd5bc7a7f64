"""Keeping the warnings true while things change, without making anybody wait."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from functools import partial
from itertools import islice
from typing import Final

from app.database import DatabaseError
from app.workspace.accounts.account import Account
from app.workspace.changes import Changes
from app.workspace.clock import LAST_MOMENT
from app.workspace.core import Core
from app.workspace.posts.planned import PlannedPost
from app.workspace.warnings import checks
from app.workspace.warnings.checks import Contents
from app.workspace.warnings.reading import PIECE, read_contents
from app.workspace.warnings.warning import PlanWarnings

_AGAIN_S: Final = 60.0
"""What is past is no longer warned of after so many seconds."""

_log = logging.getLogger(__name__)


class Watch:
    """Looks anew a moment after something changed; ``found`` is what was found last.

    Posts are read once, and again when they change; what is in memory is gone through each time, in a thread.
    """

    def __init__(self, core: Core, accounts: Callable[[], Mapping[str, Account]], *, runs_here: bool) -> None:
        self.found = PlanWarnings()
        self._core = core
        self._accounts = accounts
        self._runs_here = runs_here
        self._contents: dict[str, Contents] = {}
        self._unread = {post.key for post in self._from_now()}
        self._has_looked = False
        self._wanted = asyncio.Event()
        self._wanted.set()
        core.changes.add(self._hear)

    async def run(self, is_known: Callable[[], bool]) -> None:
        """Looks whenever there is reason to. ``is_known``: everything was listed once, accounts too."""
        while True:
            try:
                async with asyncio.timeout(_AGAIN_S):
                    await self._wanted.wait()
            except TimeoutError:
                pass
            await asyncio.sleep(self._core.pace.warnings)
            self._wanted.clear()
            if is_known():
                self._has_looked = True
                await self._look()

    def _hear(self, changes: Changes) -> None:
        if changes.reset or changes.catalogues:
            self._unread.update(post.key for post in self._from_now())
        self._unread |= changes.posts
        for key in changes.removed:
            self._contents.pop(key, None)
        is_news = changes.posts or changes.removed or changes.accounts or changes.reset or changes.catalogues
        if is_news or (changes.sync and not self._has_looked):
            self._wanted.set()

    async def _look(self) -> None:
        posts, now = self._from_now(), self._core.clock()
        await self._read({post.key for post in posts if checks.is_waiting(post)})
        # The thread reads copies: all of these change under the hands of the loop.
        contents, accounts = dict(self._contents), dict(self._accounts())
        unsent, runs_here = frozenset(self._core.mirror.unsent), self._runs_here

        def work() -> PlanWarnings:
            return PlanWarnings.of(
                checks.find(posts, accounts, contents, now=now, unsent=unsent, runs_here=runs_here)
            )

        found = await asyncio.to_thread(work)
        if found != self.found:
            self.found = found
            self._core.changes.tell(Changes(warnings=True))

    async def _read(self, waiting: set[str]) -> None:
        """Reads what changed among the posts that wait for their time; the others are not needed."""
        asked, self._unread = self._unread & waiting, set()
        if not asked:
            return
        left = iter(asked)
        try:
            await self._core.write(lambda _connection: None)  # what was told of is on disk after that
            while piece := list(islice(left, PIECE)):
                read = await self._core.database.read(partial(read_contents, keys=piece))
                self._contents |= read
        except DatabaseError:
            _log.warning("what is planned could not be looked through", exc_info=True)
            self._unread |= asked

    def _from_now(self) -> list[PlannedPost]:
        return self._core.mirror.timeline.between(self._core.clock() - checks.TOO_CLOSE_MS, LAST_MOMENT)
