"""Looks up what the user types: in threads, the newest text only."""

import asyncio
from collections import defaultdict
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from app.desktop.aio import TaskScope
from app.workspace.catalogues import KeptFile
from app.workspace.messages import Problem
from app.workspace.search import SearchHits
from app.workspace.workspace import Workspace

_COUNT_AFTER_S = 0.05
"""Delay before counting, in s, so that the list is painted first."""


@dataclass(frozen=True, slots=True)
class Found:
    """The hits for a text.

    ``uses`` are the keys of the posts that a file is in, by storage path. ``matching`` are the keys of all
    posts with the words; None until they are known, and for no words.
    """

    typed: str
    hits: SearchHits
    files: tuple[KeptFile, ...] = ()
    uses: dict[str, list[str]] = field(default_factory=dict)
    matching: frozenset[str] | None = None


class Lookup(QObject):
    """Runs one query at a time. Of texts typed meanwhile, only the last one is looked up."""

    found = Signal(object)
    """A Found for the last text."""
    failed = Signal(str)
    """Why the lookup failed."""

    def __init__(self, workspace: Workspace, most: int, parent: QObject) -> None:
        """``most`` is the number of hits of each kind."""
        super().__init__(parent)
        self._workspace = workspace
        self._most = most
        self._wanted: str | None = None
        self._busy = False
        self._typed = asyncio.Event()
        self._scope = TaskScope(self, self._report)

    def look(self, typed: str) -> None:
        """Look up a text instead of the previous one."""
        self._wanted = typed
        self._typed.set()
        if not self._busy:
            self._busy = True
            self._scope.start(self._work())

    async def _work(self) -> None:
        try:
            while (typed := self._wanted) is not None:
                self._wanted = None
                self._typed.clear()
                await self._answer(typed)
        finally:
            self._busy = False

    async def _answer(self, typed: str) -> None:
        """Emit the best hits immediately, then the number of all posts."""
        hits = await self._workspace.search(typed, self._most)
        files = tuple(await self._workspace.catalogues.media(hits.media)) if hits.media else ()
        found = Found(typed, hits, files, self._uses(hits.media))
        if self._wanted is not None:
            return
        self.found.emit(found)
        if await self._is_more_typed():
            return
        matching = await self._workspace.matching(typed)
        if self._wanted is None:
            self.found.emit(replace(found, matching=matching))

    async def _is_more_typed(self) -> bool:
        """Whether the user has typed on, so the number is no longer needed."""
        try:
            await asyncio.wait_for(self._typed.wait(), _COUNT_AFTER_S)
        except TimeoutError:
            return False
        return True

    def _uses(self, paths: tuple[str, ...]) -> dict[str, list[str]]:
        uses: dict[str, list[str]] = defaultdict(list)
        for post in self._workspace.posts if paths else ():
            if post.media in paths:
                uses[post.media].append(post.key)
        return uses

    def _report(self, problem: Problem) -> None:
        self.failed.emit(problem.text)
