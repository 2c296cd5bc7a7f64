"""Compares service, mirror and screen. The service is queried without the app."""

import asyncio
import time
from collections.abc import Iterator
from datetime import date
from uuid import UUID

from PySide6.QtGui import QAccessible

from app.client import ServiceClient
from app.contract.posts import Post, PostListQuery
from app.desktop.calendar.days import LocalDays
from app.desktop.calendar.looks import STATUS_WORDS, look_of
from app.workspace.clock import from_millis, to_millis
from app.workspace.posts.planned import PlannedPost, SyncState
from tests.journeys.stage import ZONE, Actor, Stage, now_ms

DAYS = LocalDays(ZONE)
_PATIENCE_S = 30
State = dict[str, tuple[int, str]]
"""Time in ms and status of each post, by its text."""


class Other:
    """Another client of the same account, with its own connection."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def posts(self) -> list[Post]:
        """Return all posts of the service; no test plans more than a page."""
        return (await self._client.list_posts(PostListQuery(limit=100))).data

    async def state(self) -> State:
        return {
            post.description or "": (to_millis(post.scheduled_at), post.status.value)
            for post in await self.posts()
        }

    async def id_of(self, text: str) -> UUID:
        return next(post.id for post in await self.posts() if post.description == text)

    async def move(self, text: str, at: int) -> None:
        await self._client.reschedule_post(await self.id_of(text), from_millis(at))

    async def delete(self, *texts: str) -> None:
        """Delete posts permanently."""
        for text in texts:
            await self._client.delete_post(await self.id_of(text), hard=True)

    async def close(self) -> None:
        await self._client.close()


def kept(actor: Actor) -> State:
    """Return the mirror's state of posts without pending wishes."""
    return {
        post.headline: (post.at, post.status.value)
        for post in actor.workspace.posts
        if post.sync is SyncState.SYNCED
    }


def drawn(actor: Actor) -> State:
    """Return what the month's cards show. Each card is on its day once, or is counted there."""
    page, model = actor.controller.calendar.grid.view.page, actor.controller.calendar.model
    found: State = {}
    for day in model.days():
        layout, on_day = page.cells.layout(day), model.on_day(day)
        shown = {card.post.key: card.post for card in layout.cards}
        assert len(layout.cards) + layout.hidden == len(on_day)
        for post in (*shown.values(), *(one for one in on_day if one.key not in shown)):
            assert post.headline not in found, "a post is drawn twice"
            assert DAYS.place(post.at).day == day
            found[post.headline] = (post.at, post.status.value)
    return found


def spoken(actor: Actor) -> list[str]:
    """Return the accessible description of each card, sorted by time."""
    tree = QAccessible.queryAccessibleInterface(actor.controller.calendar.grid.view)
    return [tree.child(number).text(QAccessible.Text.Name) for number in range(tree.childCount())]


def words(actor: Actor) -> Iterator[str]:
    """Return the expected start of each post's description; warnings may follow."""
    for post in actor.workspace.posts:
        yield _words(post, actor.workspace.accounts[post.account_key].name)


def _words(post: PlannedPost, account: str) -> str:
    day, _ = DAYS.place(post.at)
    on = date.fromordinal(day)
    status = STATUS_WORDS[look_of(post, now_ms())]
    where = f"{account} on LinkedIn (practice)"
    return f"{post.headline}, {on:%A} {on.day} {on:%B} {DAYS.clock(post.at)}, {where}, {status}"


def heard(actor: Actor) -> list[str]:
    """Return the part of the spoken descriptions that ``words`` expects."""
    return [name[: len(said)] for name, said in zip(spoken(actor), words(actor), strict=True)]


async def agree(stage: Stage, actor: Actor, other: Other) -> State:
    """Wait until there are no wishes, then compare all three; return the state they agree on."""
    await actor.until(lambda: actor.workspace.sync.waiting == 0 and actor.workspace.sync.connected)
    there = await other.state()
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if kept(actor) == drawn(actor) == there and heard(actor) == list(words(actor)):
            break
        await asyncio.sleep(0.05)  # events of recent changes may still arrive
        there = await other.state()
    assert kept(actor) == there
    assert drawn(actor) == there
    assert heard(actor) == list(words(actor))
    assert not any(one.times for one in stage.wire.breaks), "a line did not break"
    return there
