"""One life of a workspace: somebody plans, moves, cancels and takes back, and tells what was accepted."""

import asyncio
import json
import os
import ssl
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, Final

from app.client import ServiceClient
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.contract.posts import PostListQuery
from app.workspace.clock import Pace, from_millis, to_millis
from app.workspace.posts.new import NewPost
from app.workspace.workspace import Workspace
from tests.benchmarks.service.world import Server

_FIRST: Final = to_millis(datetime(2035, 1, 1, tzinfo=UTC))
_HOUR_MS: Final = 3_600_000
_PATIENCE_S: Final = 120.0
_PACE: Final = Pace(tick=0.05, save_position=0.2)

State = Mapping[str, tuple[int, bool]]
"""Of posts by their text: the time, and whether they are cancelled."""


@dataclass(slots=True)
class Life:
    """What a forked process does; ``pipe`` is where it tells of it, a line of JSON at a time."""

    server: Server
    file: Path
    random: Random
    name: str
    pipe: int

    def use(self) -> None:
        """Goes on until it is killed."""
        asyncio.run(self._use())

    def settle(self) -> None:
        """Waits until the service has confirmed everything, and tells what it has."""
        asyncio.run(self._settle())

    async def _use(self) -> None:
        workspace = await self._opened()
        self._tell("found", self._shown(workspace))
        number = 0
        while True:
            number += 1
            before = self._shown(workspace)
            action, intended = self._something(workspace, f"{self.name}-{number}")
            self._tell("begun", intended)  # before it is done: a kill may come right after the disk has it
            action()
            shown = self._shown(workspace)
            changed = {text: state for text, state in shown.items() if before.get(text) != state}
            while workspace.sync.saving:  # noqa: ASYNC110  close to the moment, and not in the way of it
                await asyncio.sleep(0.001)
            self._tell("accepted", changed)
            await asyncio.sleep(self.random.expovariate(1 / 0.02))

    async def _settle(self) -> None:
        workspace = await self._opened()
        self._tell("found", self._shown(workspace))
        async with asyncio.timeout(_PATIENCE_S):
            while workspace.sync.waiting or workspace.sync.saving:  # noqa: ASYNC110
                await asyncio.sleep(0.02)
            await workspace.refresh()
        self._tell("shown", self._shown(workspace))
        await workspace.close()
        client = self._client()
        counted: Counter[str] = Counter()
        there: dict[str, tuple[int, bool]] = {}
        async for page in client.posts(PostListQuery(limit=100)):
            for post in page.data:
                counted[post.description or ""] += 1
                cancelled = post.status is PostStatus.CANCELLED
                there[post.description or ""] = to_millis(post.scheduled_at), cancelled
        await client.close()
        self._tell("there", there)
        self._tell("doubled", {text: (times, True) for text, times in counted.items() if times > 1})

    async def _opened(self) -> Workspace:
        return await Workspace.open(self._client(), self.file, name="Storm", pace=_PACE)

    def _client(self) -> ServiceClient:
        trust = ssl.create_default_context(cafile=self.server.ca_file)
        return ServiceClient(self.server.base_url, self.server.key, ssl_context=trust)

    def _shown(self, workspace: Workspace) -> State:
        """The posts that were planned here; those that nobody has an account for are left out."""
        return {
            post.headline: (post.at, post.status is PostStatus.CANCELLED)
            for post in workspace.posts
            if post.headline.startswith("life-")
        }

    def _something(self, workspace: Workspace, text: str) -> tuple[Callable[[], object], State]:
        """What to do next, and what it makes of which posts if nothing is in its way."""
        own = {post.key: post.headline for post in workspace.posts if post.headline.startswith("life-")}
        account = next(iter(workspace.accounts), None)
        what = self.random.choices(["plan", "move", "group", "cancel", "undo", "redo"], [5, 4, 2, 1, 2, 1])[0]
        if account and (what == "plan" or not own):
            first = NewPost(account, PostingPlatform.LINKEDIN, PostType.TEXT, text, at=self._time())
            second = NewPost(account, first.platform, first.post_type, f"{text}b", at=first.at)
            planned = first.at or 0, False
            return lambda: workspace.plan([first, second]), {text: planned, second.text: planned}
        if what in ("move", "group") and own:
            chosen = self.random.sample(list(own), 1 if what == "move" else min(8, len(own)))
            times = {key: self._time() for key in chosen}
            return lambda: workspace.move(times), {own[key]: (at, False) for key, at in times.items()}
        if what == "cancel" and own:
            key = self.random.choice(list(own))
            return lambda: workspace.cancel([key]), {own[key]: (0, True)}
        history = workspace._core.history
        step = history.last_done() if what == "undo" else history.last_undone()
        sides = {
            edit.key: edit.before if what == "undo" else edit.after for edit in (step.edits if step else ())
        }
        intended = {own[key]: (side.at, side.cancelled) for key, side in sides.items() if key in own}
        return workspace.undo if what == "undo" else workspace.redo, intended

    def _time(self) -> int:
        return _FIRST + self.random.randrange(10_000) * _HOUR_MS

    def _tell(self, what: str, state: Mapping[str, Any]) -> None:
        os.write(self.pipe, json.dumps([what, state]).encode() + b"\n")


assert from_millis(_FIRST).year == 2035
