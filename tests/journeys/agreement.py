"""Whether service, mirror and screen agree: asked of each by itself, and of the service without the app."""

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
"""Time in milliseconds and status of each post, by its text."""


class Other:
    """Another client of the same account, on a line of its own."""

    def __init__(self, client: ServiceClient) -> None:
        self._client = client

    async def posts(self) -> list[Post]:
        """Everything that the service has; no test plans more than a page."""
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
        """Deletes posts for good."""
        for text in texts:
            await self._client.delete_post(await self.id_of(text), hard=True)

    async def close(self) -> None:
        await self._client.close()


def kept(actor: Actor) -> State:
    """What the mirror has of posts of which nothing is wanted any more."""
    return {
        post.headline: (post.at, post.status.value)
        for post in actor.workspace.posts
        if post.sync is SyncState.SYNCED
    }


def drawn(actor: Actor) -> State:
    """What the cards of the month show; a card stands once, on its day, or is counted there."""
    page, model = actor.controller.calendar.grid.view.page, actor.controller.calendar.model
    found: State = {}
    for day in model.days():
        layout = page.cells.layout(day)
        for post in (*(card.post for card in layout.cards), *layout.hidden):
            assert post.headline not in found, "a post is drawn twice"
            assert DAYS.place(post.at).day == day
            found[post.headline] = (post.at, post.status.value)
    return found


def spoken(actor: Actor) -> list[str]:
    """What the accessible tree says of each card, in the order of time."""
    tree = QAccessible.queryAccessibleInterface(actor.controller.calendar.grid.view)
    return [tree.child(number).text(QAccessible.Text.Name) for number in range(tree.childCount())]


def words(actor: Actor) -> Iterator[str]:
    """What is to be said first of each post that the mirror has; warnings may follow."""
    for post in actor.workspace.posts:
        yield _words(post)


def _words(post: PlannedPost) -> str:
    day, _ = DAYS.place(post.at)
    on = date.fromordinal(day)
    status = STATUS_WORDS[look_of(post, now_ms())]
    return f"{post.headline}, {on:%A} {on.day} {on:%B} {DAYS.clock(post.at)}, LinkedIn (practice), {status}"


def heard(actor: Actor) -> list[str]:
    """As much of what is spoken as ``words`` expects."""
    return [name[: len(said)] for name, said in zip(spoken(actor), words(actor), strict=True)]


async def agree(stage: Stage, actor: Actor, other: Other) -> State:
    """Waits until nothing is wanted, then compares all three; gives what they agree on."""
    await actor.until(lambda: actor.workspace.sync.waiting == 0 and actor.workspace.sync.connected)
    there = await other.state()
    end = time.monotonic() + _PATIENCE_S
    while time.monotonic() < end:
        if kept(actor) == drawn(actor) == there and heard(actor) == list(words(actor)):
            break
        await asyncio.sleep(0.05)  # news of what was just done may be on their way
        there = await other.state()
    assert kept(actor) == there
    assert drawn(actor) == there
    assert heard(actor) == list(words(actor))
    assert not any(one.times for one in stage.wire.breaks), "a line did not break"
    return there
