"""``--selftest``: the main job from end to end, on practice accounts, without a person.

First whether all of the program is there; then window, embedded service, a practice account connected, a post
planned, moved and published, and every pane opened. The answer is one JSON line; the exit code is 0 only when
every step was seen to happen.
"""

import asyncio
import json
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.desktop import completeness
from app.desktop.application import Application
from app.desktop.binding import make_room_for_types

if TYPE_CHECKING:
    from app.workspace.accounts.account import Account
    from app.workspace.workspace import Workspace

_PATIENCE_S = 180.0
_LOOK_S = 0.1
"""For a pane to be painted."""
_LATER_MS = 3_600_000
_SOON_MS = 2_000


class SelfTest:
    """Walks through the steps and keeps the name of the one it is at."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self.step = "window"

    async def walk(self) -> None:
        """Does everything; returns when every pane was opened. Raises what went wrong."""
        self._application.window.show()
        make_room_for_types()
        for self.step, check in completeness.CHECKS.items():
            await asyncio.to_thread(check)
        self.step = "embedded service"
        await self._application.begin_here(practice=True)
        if self._application.visit is None:
            raise RuntimeError("the service on this computer did not start")
        workspace = self._application.visit.workspace
        self.step = "connect a practice account"
        account = await self._connect(workspace)
        self.step = "plan"
        key = await self._plan(workspace, account)
        self.step = "move"
        workspace.move({key: _now_ms() + _SOON_MS})
        self.step = "publish"
        await _until(workspace, lambda: _status(workspace, key) is PostStatus.POSTED)
        self.step = "panes"
        await self._open_panes()
        self.step = "done"

    async def _open_panes(self) -> None:
        controller = self._application.controller
        if controller is None:
            raise RuntimeError("the window has no panes")
        controller.complete()
        for name in ("analytics", "history", "media", "settings", "calendar"):
            self._application.window.go(name)
            await asyncio.sleep(_LOOK_S)

    async def _connect(self, workspace: "Workspace") -> "Account":
        from app.workspace.homes import consent

        flow = await workspace.flows.begin(PostingPlatform.LINKEDIN)
        await asyncio.to_thread(consent.allow, flow.url)
        return await flow.account()

    async def _plan(self, workspace: "Workspace", account: "Account") -> str:
        from app.workspace.posts.new import NewPost

        post = NewPost(
            account_key=account.key,
            platform=PostingPlatform.LINKEDIN,
            post_type=PostType.TEXT,
            text="The self-test of Kalends published this.",
            at=_now_ms() + _LATER_MS,
        )
        key = workspace.plan([post])[0]
        await _until(
            workspace, lambda: _status(workspace, key) is PostStatus.SCHEDULED and workspace.sync.waiting == 0
        )
        return key


async def selftest(application: Application, stop: asyncio.Event) -> int:
    """Runs the self-test, prints its line, and returns the exit code."""
    started = time.monotonic()
    test = SelfTest(application)
    reason = ""
    walking = asyncio.ensure_future(asyncio.wait_for(test.walk(), _PATIENCE_S))
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({walking, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if walking.done():
        error = walking.exception()
        reason = "" if error is None else f"{type(error).__name__}: {error}"
    else:
        walking.cancel()
        reason = "stopped"
    await application.close()
    line = {
        "event": "selftest",
        "ok": not reason,
        "step": test.step,
        "reason": reason,
        "seconds": round(time.monotonic() - started, 2),
    }
    sys.stdout.write(json.dumps(line) + "\n")
    return 1 if reason else 0


def _now_ms() -> int:
    return int(time.time() * 1_000)


def _status(workspace: "Workspace", key: str) -> PostStatus | None:
    post = workspace.posts.get(key)
    return post.status if post else None


async def _until(workspace: "Workspace", condition: Callable[[], bool]) -> None:
    changed = asyncio.Event()
    stop_listening = workspace.listen(lambda _changes: changed.set())
    try:
        while not condition():
            await changed.wait()
            changed.clear()
    finally:
        stop_listening()
