"""Following the service's stream: what is reported, where it continues, and what it saves."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Coroutine
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from app.client import ServerFailed
from app.client.events import EventData, ServiceEvent
from app.contract.changes import (
    ChangeKind,
    ConnectionChanged,
    DeliveryRecorded,
    MediaChanged,
    PostChanged,
    Reset,
)
from app.contract.posts import Post
from app.database import Database, DiskFullError
from app.database.dialects import sqlite_engine
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.messages import Problem
from app.workspace.store.tables import MIGRATIONS
from app.workspace.sync.stream import ChangeStream, Ears, Position, load_position, save_position
from tests.leaping import leap, run_leaping
from tests.migrated import lay
from tests.workspace.model_service import HOUR, START, HandClock, attempt
from tests.workspace.opened import QUICK, opened, until
from tests.workspace.streaming_service import StreamingService

PACE = Pace(news=60, stream_again=60)
FILE = MediaChanged(storage_path="me/coat.jpg")
ACCOUNT = ConnectionChanged(id=uuid4(), connection=None)
DELIVERY = DeliveryRecorded(id=uuid4(), subscription_id=None)
POST = PostChanged(id=uuid4(), post=None)
# Without the stream, nothing but the first listing would come within the time that a test waits.
PATIENT = replace(
    QUICK, poll_active=600, poll_idle=600, everything=600, everything_followed=600, stream_again=0.01
)
EAGER = replace(PATIENT, poll_active=0.02, poll_idle=0.02)


@pytest.mark.parametrize(
    ("event", "known"), [("17", "17"), ("plätz", ""), ("a\nb", ""), ("x" * 9_000_000, "")]
)
def test_an_id_that_no_header_holds_is_forgotten(tmp_path: Path, event: str, known: str) -> None:
    lay(tmp_path / "workspace.db", MIGRATIONS)
    database = Database(sqlite_engine(tmp_path / "workspace.db"), "workspace.db")
    try:
        database.submit(lambda rows: save_position(rows, Position(listed=True, event=event))).result()
        kept = database.submit(load_position).result()
    finally:
        database.close()
    assert kept == Position(listed=True, event=known)


@pytest.mark.parametrize(
    ("kept", "position"),
    [
        (None, Position(listed=False, event="")),
        ('{"listed":true}', Position(listed=True, event="")),
        ('{"listed":true,"event":"17"}', Position(listed=True, event="17")),
        ("[]", Position(listed=False, event="")),
    ],
)
def test_the_position_of_an_earlier_version_is_known(
    tmp_path: Path, kept: str | None, position: Position
) -> None:
    """Without one, everything has to be listed first."""
    lay(tmp_path / "workspace.db", MIGRATIONS)
    if kept is not None:
        with sqlite3.connect(tmp_path / "workspace.db") as connection:
            connection.execute("INSERT INTO settings (name, value) VALUES ('sync', ?)", (kept,))
        connection.close()
    database = Database(sqlite_engine(tmp_path / "workspace.db"), "workspace.db")
    try:
        assert database.submit(load_position).result() == position
    finally:
        database.close()


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


@pytest.mark.parametrize("event", [ACCOUNT, FILE, DELIVERY], ids=["connections", "files", "deliveries"])
def test_a_stream_that_runs_again_reports_again(event: EventData) -> None:
    async def story(stage: Stage) -> None:
        await stage.begin()
        await stage.client.send(event, event)
        stage.running.cancel()
        await pass_by(70)
        stage.running = asyncio.create_task(stage.stream.run())
        await pass_by(0)
        stage.heard.clear()
        await stage.client.send(event)
        assert len(stage.heard) == 1

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


@pytest.fixture
def service() -> StreamingService:
    return StreamingService(HandClock())


async def test_changes_come_by_themselves(tmp_path: Path, service: StreamingService) -> None:
    first = service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: first in workspace.posts and service.open)
        second = service.add_post(service.add_account(), START + 2 * HOUR, "second")
        service.tell_post(second)
        await until(lambda: second in workspace.posts)
        service.posts[UUID(second)]["status"] = "cancelled"
        service.tell_post(second)
        await until(lambda: (post := workspace.posts.get(second)) and post.status == "cancelled")
        del service.posts[UUID(second)]
        service.tell_post(second)
        await until(lambda: second not in workspace.posts)
        service.tell(ChangeKind.CONNECTION, {"id": service.connections[0]["id"], "connection": None})
        await until(lambda: len(workspace.accounts) == 2)
        service.tell(ChangeKind.MEDIA, {"storage_path": "me/coat.jpg"})
        await until(lambda: any(changes.files for changes in workspace.heard))
        assert not any(changes.deliveries for changes in workspace.heard)
        service.tell(ChangeKind.DELIVERY, {"id": str(uuid4()), "subscription_id": None})
        await until(lambda: any(changes.deliveries for changes in workspace.heard))
        assert service.asked("/api/v1/posts") == 1


async def test_a_look_that_failed_is_made_good_though_nothing_is_asked_for_by_itself(
    tmp_path: Path, service: StreamingService
) -> None:
    service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: len(workspace.posts) == 1 and service.open and workspace.sync.last_synced)
        account = service.connections[0]
        made, account["created_at"] = account["created_at"], "soon"
        with pytest.raises(Problem):
            await workspace.refresh()
        assert workspace.sync.problem
        account["created_at"] = made
        await until(lambda: not workspace.sync.problem)


async def test_an_idle_workspace_asks_for_nothing(tmp_path: Path, service: StreamingService) -> None:
    service.add_post(service.add_account(), START + HOUR)
    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: len(workspace.posts) == 1 and service.open and workspace.sync.last_synced)
        before = len(service.requests)
        await asyncio.sleep(10 * EAGER.poll_active)
        assert len(service.requests) == before
        assert service.asked("/api/v1/posts") == 1


async def test_a_cut_stream_is_taken_up_where_it_was(tmp_path: Path, service: StreamingService) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.accounts and service.open)
        service.online = False
        service.cut()
        missed = service.add_post(account, START + HOUR)
        service.tell_post(missed)
        await until(lambda: not workspace.sync.connected)
        service.online = True
        await until(lambda: missed in workspace.posts)
        async with asyncio.timeout(30):
            # A stream that is cut before it brought the event is followed from an earlier one.
            while taken_up(service)[-1] != f"{len(service.told)}":
                await until(lambda: service.open)
                service.cut()
                await until(lambda: not service.open)
                await until(lambda: service.open)


async def test_a_move_is_sent_again_as_soon_as_the_stream_tells_that_an_earlier_one_overtook_it(
    tmp_path: Path, service: StreamingService
) -> None:
    key = service.add_post(service.add_account(), START + HOUR)
    there = service.posts[UUID(key)]
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: key in workspace.posts and service.open)
        service.faults.append(("PATCH", "timeout"))
        for hours in (2, 3):
            workspace.move({key: START + hours * HOUR})
            moved = f"2026-11-21T{9 + hours}:00:00.000Z"
            await until(lambda: there["scheduled_at"] == moved and workspace.sync.waiting == 0)  # noqa: B023
    async with opened(tmp_path, service, pace=replace(PATIENT, silence=600, health=600)) as workspace:
        await until(lambda: service.open and workspace.sync.followed)
        await workspace.refresh()
        there["scheduled_at"] = "2026-11-21T11:00:00.000Z"
        service.tell_post(key)
        await until(lambda: there["scheduled_at"] == "2026-11-21T12:00:00.000Z")


def taken_up(service: StreamingService) -> list[str | None]:
    """After which event each stream was asked for."""
    asked = (request for request in service.requests if request.url.path == "/companion/v1/events")
    return [request.headers.get("last-event-id") for request in asked]


async def test_the_stream_goes_on_where_it_was_after_a_restart(
    tmp_path: Path, service: StreamingService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.accounts and service.open and workspace.sync.last_synced)
        first = service.add_post(account, START + HOUR)
        service.tell_post(first)
        await until(lambda: first in workspace.posts)
    lists = service.asked("/api/v1/posts")
    missed = service.add_post(account, START + HOUR)
    service.tell_post(missed)
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: missed in workspace.posts and workspace.sync.last_synced)
        assert taken_up(service)[0] is None
        assert taken_up(service)[-1] is not None
        assert service.asked("/api/v1/posts") == lists


async def test_a_stream_that_begins_anew_has_everything_listed_again(
    tmp_path: Path, service: StreamingService
) -> None:
    account = service.add_account()
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: workspace.accounts and service.open)
        added = service.add_post(account, START + HOUR)  # and nobody tells
        service.tell(ChangeKind.RESET, {})
        await until(lambda: added in workspace.posts)


async def test_without_a_stream_that_works_news_are_asked_for(
    tmp_path: Path, service: StreamingService
) -> None:
    service.refuses = True
    account = service.add_account()
    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: workspace.accounts, patience=20)
        added = service.add_post(account, START + HOUR)
        await until(lambda: added in workspace.posts)


async def test_a_service_that_offers_no_stream_is_not_asked_for_one(
    tmp_path: Path, service: StreamingService
) -> None:
    service.offers = []

    service.add_account()
    async with opened(tmp_path, service, pace=EAGER) as workspace:
        await until(lambda: workspace.accounts and workspace.sync.last_synced)
        assert taken_up(service) == []


async def test_what_could_not_be_kept_is_heard_again(
    tmp_path: Path, service: StreamingService, caplog: pytest.LogCaptureFixture
) -> None:
    """The position moves on only behind what was taken."""
    added = service.add_post(service.add_account(), START + HOUR)
    heard: list[str] = []

    async def keep(post_id: UUID, post: Post | None) -> None:
        assert post is not None
        heard.append(f"post {post_id}")
        if len(heard) == 3:
            raise DiskFullError("The disk is full.")

    def hear(what: str) -> Callable[[], None]:
        return lambda: heard.append(what)

    ears = Ears(
        listening=lambda listening: heard.append(f"listening {listening}"),
        reset=hear("reset"),
        post=keep,
        connections=hear("connections"),
        files=hear("files"),
        deliveries=hear("deliveries"),
    )

    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: service.open)
        stream = ChangeStream(workspace._core, ears, "")
        running = asyncio.create_task(stream.run())
        await stream.offer(offered=True)
        service.tell_post(added)
        await until(lambda: stream.position == "1" and heard[-1] == f"post {added}")
        service.cut()
        await until(lambda: heard[-2:] == ["listening False", "listening True"])
        caplog.set_level("INFO")
        await stream.offer(offered=True)
        assert "does not begin" not in caplog.text, "it goes on, and has nothing to tell"
        await stream.offer(offered=False)
        service.cut()
        await until(lambda: heard[-1] == "listening False")
        running.cancel()
    told, ended, begun = f"post {added}", "listening False", "listening True"
    assert [what for what, _ in groupby(heard)] == [
        begun,
        "reset",
        told,
        ended,
        begun,
        told,
        ended,
        begun,
        ended,
    ]


async def test_the_stream_says_that_a_post_has_reached_the_inbox(
    tmp_path: Path, service: StreamingService
) -> None:
    """Its status stays the same, so only its attempts say so."""
    key = service.add_post(service.add_account("tiktok"), START - 1, "Wool", status="processing")
    service.posts[UUID(key)]["platform"] = "tiktok"
    service.attempts = {UUID(key): [attempt(key, "pending")]}
    service.offers = ["events", "attempts"]
    async with opened(tmp_path, service, pace=PATIENT) as workspace:
        await until(lambda: key in workspace.posts and service.open)
        service.attempts[UUID(key)][0] |= {"step": "hand_over", "outcome": "in_inbox"}
        service.tell_post(key)
        await until(lambda: (post := workspace.posts.get(key)) and post.is_in_inbox)
