"""Inboxes on a platform, and users who publish from them, delete there, or leave what waits."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final
from urllib.parse import urlencode

from app.platforms.wire import Request
from app.service.media.files import LocalMediaStore
from tests.simulation.lives import WorldClock, outside
from tests.simulation.outside import PRACTICE, Platforms
from tests.simulation.publishing.ground import add_inbox_video
from tests.simulation.publishing.plan import Known
from tests.simulation.store import Store

USER: Final = "user"
"""Who calls a platform without Kalends."""

WATCH_FAILURES: Final = """
CREATE TRIGGER watch_failures AFTER UPDATE OF status ON posts WHEN new.status = 'failed'
BEGIN SELECT tell('failed', new.id); END;
"""
"""Tells the world when a post is given up."""

_CALLS: Final = f"{PRACTICE}/tiktok/"
_ARRIVED: Final = "SELECT id, sha256 FROM uploads WHERE platform = 'tiktok' AND used > 0"


class Inbox:
    """The inboxes of a world. The platform knows posts there by the bytes of their files only."""

    def __init__(
        self,
        store: Store,
        files: LocalMediaStore,
        platforms: Platforms,
        ledger: sqlite3.Connection,
        clock: WorldClock,
        posts: Sequence[Known],
        processing_s: float,
    ) -> None:
        """Add a file for each of the ``posts``. ``processing_s`` is how long users don't see what arrives."""
        self._platforms = platforms
        self._ledger = ledger
        self._processing_s = processing_s
        add = partial(add_inbox_video, store=files, now=clock.now())
        self._posts = {store.run(partial(add, number=one.wish.number)): one for one in posts}
        self._seen: set[int] = set()

    def arrived(self, request: Request) -> Iterator[Known]:
        """Yield posts that this request has put into an inbox, and let their users see them."""
        if not self._posts or request.method != "PUT" or not request.url.startswith(_CALLS):
            return
        for upload, sha256 in self._ledger.execute(_ARRIVED).fetchall():
            known = self._posts.get(sha256)
            if known is None or upload in self._seen:
                continue
            self._seen.add(upload)
            if known.wish.finishes_s is not None and not known.published_at:
                outside(self._decide(known, upload, known.wish.finishes_s))
            yield known

    async def _decide(self, known: Known, upload: int, after_s: float) -> None:
        await asyncio.sleep(self._processing_s + after_s)
        wish = known.wish
        form = {"action": "delete" if wish.discards else "publish", "caption": f"Linen {wish.marker}"}
        headers = {"content-type": "application/x-www-form-urlencoded"}
        request = Request("POST", f"{_CALLS}inbox/{upload}", headers, None)
        now = asyncio.get_running_loop().time()
        reply = await self._platforms.answer(request, urlencode(form).encode(), USER, now)
        assert reply.status == 303
        known.is_discarded = wish.discards
