"""Following the stream of changes: what is reported, and where and when it goes on after it ended."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from app.client import ServerFailed
from app.client.events import EventData, ServiceEvent
from app.contract.companion import ConnectionChanged, DeliveryRecorded, MediaChanged, PostChanged, Reset
from app.contract.posts import Post
from app.database import DiskFullError
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.sync.stream import ChangeStream, Ears
from tests.leaping import leap, run_leaping

PACE = Pace(news=60, stream_again=60)
FILE = MediaChanged(storage_path="me/coat.jpg")
ACCOUNT = ConnectionChanged(id=uuid4(), connection=None)
DELIVERY = DeliveryRecorded(id=uuid4(), subscription_id=None)
POST = PostChanged(id=uuid4(), post=None)


class Client:
    """A client whose streams carry what the test sends; ``asked`` is where each of them was to begin."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._sent: asyncio.Queue[ServiceEvent | Exception] = asyncio.Queue()

    async def events(
        self, after: str, on_listening: Callable[[bool], None]
    ) -> AsyncGenerator[ServiceEvent, None]:
        self.asked.append(after)
        self._sent = asyncio.Queue()
        on_listening(True)
        while True:
            sent = await self._sent.get()
            if isinstance(sent, Exception):
                raise sent
            yield sent

    async def send(self, *events: EventData | Exception) -> None:
        """Send events, numbered from 1, and wait until they are taken."""
        for number, one in enumerate(events, 1):
            self._sent.put_nowait(one if isinstance(one, Exception) else ServiceEvent(f"{number}", one))
        await pass_by(0)


class Stage:
    """A stream that runs; ``heard`` is what it reported, in order."""

    def __init__(self, position: str = "") -> None:
        self.client = Client()
        self.heard: list[str] = []
        self.error: Exception | None = None
        ears = Ears(
            listening=lambda listening: self.heard.append("open" if listening else "closed"),
            reset=lambda: self.heard.append("reset"),
            post=self._keep,
            connections=lambda: self.heard.append("connections"),
            files=lambda: self.heard.append("files"),
            deliveries=lambda: self.heard.append("deliveries"),
        )
        core = cast("Core", SimpleNamespace(client=self.client, pace=PACE))
        self.stream = ChangeStream(core, ears, position)
        self.running = asyncio.create_task(self.stream.run())

    async def begin(self) -> None:
        """Let the stream open."""
        offering = asyncio.create_task(self.stream.offer(offered=True))
        await pass_by(0)
        await self.client.send(Reset())
        await offering
        self.heard.clear()

    async def _keep(self, post_id: UUID, post: Post | None) -> None:
        if self.error is not None:
            raise self.error
        assert (post_id, post) == (POST.id, None)
        self.heard.append("post")


async def pass_by(seconds: float) -> None:
    """Let time pass, and run what is due by then."""
    leap(seconds)
    for _ in range(20):
        await asyncio.sleep(0)


def play(story: Callable[[Stage], Coroutine[Any, Any, None]], position: str = "") -> None:
    async def run() -> None:
        stage = Stage(position)
        try:
            await story(stage)
        finally:
            stage.running.cancel()
            await asyncio.wait([stage.running])

    run_leaping(run())


def test_every_change_is_reported_and_remembered() -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(POST, ACCOUNT, FILE, DELIVERY, Reset(), POST)
        assert stage.heard == ["post", "connections", "files", "deliveries", "reset", "post"]
        assert stage.stream.position == "6"

    play(story)


@pytest.mark.parametrize(
    ("event", "name"),
    [(ACCOUNT, "connections"), (FILE, "files"), (DELIVERY, "deliveries")],
    ids=["connections", "files", "deliveries"],
)
def test_many_changes_of_a_kind_are_reported_at_once_and_then_rarely(event: EventData, name: str) -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(event, event, event)
        assert stage.heard == [name]
        await pass_by(30)
        assert stage.heard == [name]
        await pass_by(40)
        assert stage.heard == [name] * 2
        await pass_by(300)
        assert stage.heard == [name] * 2
        await stage.client.send(event)
        assert stage.heard == [name] * 3

    play(story)


def test_after_the_end_nothing_is_reported() -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(ACCOUNT, FILE, DELIVERY, ACCOUNT, FILE, DELIVERY)
        stage.running.cancel()
        await pass_by(600)
        assert stage.heard == ["connections", "files", "deliveries", "closed"]

    play(story)


def test_a_stream_that_failed_goes_on_where_it_was_after_a_pause() -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(POST, POST, ServerFailed(500, "internal", "Oh."))
        assert stage.heard == ["post", "post", "closed"]
        await pass_by(30)
        assert stage.client.asked == [""]
        await pass_by(40)
        assert stage.client.asked == ["", "2"]
        assert stage.heard[3:] == ["open"]

    play(story)


def test_what_could_not_be_kept_is_asked_for_again() -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(Reset(), Reset())
        stage.error = DiskFullError("The disk is full.")
        await stage.client.send(Reset(), POST)
        assert stage.heard == ["reset", "reset", "reset", "closed"]
        await pass_by(70)
        assert stage.client.asked == ["", "1"]

    play(story)


def test_a_fault_of_the_program_ends_it() -> None:
    """Whatever supervises the stream reports the fault and starts the stream again."""

    async def story(stage: Stage) -> None:
        await stage.begin()
        stage.error = ZeroDivisionError()
        await stage.client.send(POST)
        assert stage.heard == ["closed"]
        assert isinstance(stage.running.exception(), ZeroDivisionError)

    play(story)


def test_nothing_is_followed_until_the_service_offers_it() -> None:
    async def story(stage: Stage) -> None:
        await stage.stream.offer(offered=False)
        await pass_by(600)
        assert stage.client.asked == []
        await stage.begin()
        await stage.stream.offer(offered=False)
        await stage.client.send(ServerFailed(500, "internal", "Oh."))
        await pass_by(600)
        assert stage.client.asked == [""]

    play(story)


@pytest.mark.parametrize("position", ["", "7"])
def test_an_offer_waits_until_nothing_can_be_missed(position: str) -> None:
    """A stream that goes on where it was misses nothing; a new one begins with its first event."""

    async def story(stage: Stage) -> None:
        offering = asyncio.create_task(stage.stream.offer(offered=True))
        await pass_by(0)
        assert offering.done() is bool(position)
        assert stage.client.asked == [position]
        await stage.client.send(Reset())
        assert offering.done()

    play(story, position)


def test_an_offer_waits_for_a_stream_that_ended_but_not_forever() -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.stream.offer(offered=True)
        await stage.client.send(ServerFailed(500, "internal", "Oh."))
        offering = asyncio.create_task(stage.stream.offer(offered=True))
        await pass_by(0.1)
        assert not offering.done()
        await pass_by(30)
        assert offering.done()
        await offering

    play(story)
