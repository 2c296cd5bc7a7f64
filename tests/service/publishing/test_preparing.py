"""Files brought to platforms ahead of time: once, by one, and only as long as somebody waits for the post."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Executable, func, select, update

from app.contract.enums import ConnectionPlatform, PostStatus
from app.platforms.base import FailureKind, PlatformError, Publication
from app.service.publishing.engine import forget_steps
from app.service.store.tables import posts, preparations, publication_steps
from tests.service.publishing.conftest import Played
from tests.service.publishing.fakes import listing, refusing
from tests.service.publishing.world import SETTINGS, World

X = ConnectionPlatform.X
PICTURE = bytes(range(256)) * 40
MINUTE, HOUR, SECOND = timedelta(minutes=1), timedelta(hours=1), timedelta(seconds=1)
AHEAD = SETTINGS.model_copy(update={"lease": timedelta(seconds=15), "prepare_again": 2 * SECOND})


class Upload:
    """What an upload does in a test: it counts, remembers steps, and takes time or fails as it is told."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.begun = 0
        self.done = 0
        self.at_once = 0
        self.most_at_once = 0
        self.sent: list[str] = []
        self.errors: list[PlatformError] = []
        self.parts = 1
        self.part_takes = timedelta()
        self.gate: asyncio.Event | None = None
        for platform in world.platforms.values():
            platform.preparing = self

    async def __call__(self, publication: Publication) -> None:
        self.begun += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await self._send(publication)
        finally:
            self.at_once -= 1

    async def _send(self, publication: Publication) -> None:
        if self.errors:
            raise self.errors.pop(0)
        sent = int(await publication.steps.get("sent") or 0)
        while sent < self.parts:
            await self._world.time.sleep(self.part_takes)
            if self.gate is not None:
                await self.gate.wait()
            sent += 1
            await publication.steps.put("sent", str(sent))
            self.sent.append(publication.text)
        self.done += 1


def count(world: World, table: object) -> int:
    counting = select(func.count()).select_from(table)  # type: ignore[arg-type]  # a table
    return world.database.read_now(lambda rows: rows.scalar(counting)) or 0


def trouble(kind: FailureKind, retry_after: float | None = None) -> PlatformError:
    return PlatformError(kind, "code", "words of the platform", retry_after=retry_after)


def test_a_slow_upload_that_was_begun_in_time_delays_nothing(play: Played) -> None:
    """Ten parts of ten seconds: begun when the post is due they would make it more than a minute late."""

    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.parts, upload.part_takes = 10, 10 * SECOND
        post_id = world.add(picture=PICTURE, due_in=130 * SECOND)
        world.prepare(AHEAD)
        world.start(AHEAD)
        await world.until_done()

        post, [attempt] = world.post(post_id), world.attempts(post_id)
        assert post.status == PostStatus.POSTED
        assert attempt.started_at - post.scheduled_at < 10 * SECOND
        assert upload.sent == ["Hello"] * 10
        assert count(world, publication_steps) > 0
        world.database.write_now(forget_steps)
        assert count(world, publication_steps) == count(world, preparations) == 0

    play(scene, listing())


@pytest.mark.logs_error("posts to prepare could not be read")
def test_an_upload_whose_hold_was_not_answered_is_begun_soon(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        world.add(picture=PICTURE, due_in=5 * MINUTE)
        held = select(preparations.c.held_by.is_not(None))
        world.database.loses = lambda: bool(world.database.read_now(lambda rows: rows.scalar(held)))
        world.prepare(AHEAD.model_copy(update={"lease": HOUR}), exclusive=False)
        await world.time.sleep(MINUTE)
        assert upload.done == 1

    play(scene, listing())


def test_without_it_the_post_would_be_late(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.parts, upload.part_takes = 10, 10 * SECOND
        post_id = world.add(picture=PICTURE, due_in=20 * SECOND)
        world.start(AHEAD)
        await world.until_done()

        post, [attempt] = world.post(post_id), world.attempts(post_id)
        assert attempt.started_at - post.scheduled_at > MINUTE

    play(scene, listing())


def test_a_post_that_comes_due_waits_for_its_upload_and_does_it_once(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.gate = asyncio.Event()
        post_id = world.add(picture=PICTURE, due_in=30 * SECOND)
        world.prepare(AHEAD)
        await world.until(lambda: upload.begun == 1)
        world.start(AHEAD)
        await world.until(lambda: world.time.now() > world.post(post_id).scheduled_at + 40 * SECOND)
        assert (upload.begun, upload.done) == (1, 0)
        assert world.attempts(post_id) == []
        upload.gate.set()
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert upload.sent == ["Hello"]

    play(scene, listing())


def test_the_publisher_goes_on_where_a_dead_preparer_stopped(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.parts, upload.part_takes = 20, 5 * SECOND
        post_id = world.add(picture=PICTURE, due_in=30 * SECOND)
        world.prepare(AHEAD)
        await world.until(lambda: len(upload.sent) == 3)
        await world.crash()
        upload.part_takes = timedelta()
        world.start(AHEAD)
        await world.until_done()

        assert world.post(post_id).status == PostStatus.POSTED
        assert upload.sent == ["Hello"] * 20

    play(scene, listing())


def test_two_preparers_bring_every_file_once(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.part_takes = SECOND
        texts = [f"Post {number}" for number in range(6)]
        for number, text in enumerate(texts):
            world.add(text, picture=PICTURE, due_in=10 * MINUTE, connection=number % 3)
        for _ in range(2):
            world.prepare(AHEAD, exclusive=False)
        await world.until(lambda: upload.done == 6)
        assert sorted(upload.sent) == texts

    play(scene, listing(), connections_each=3)


def test_an_account_has_one_upload_at_a_time(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.part_takes = SECOND
        for number in range(4):
            world.add(f"Post {number}", picture=PICTURE, due_in=10 * MINUTE)
        world.prepare(AHEAD)
        await world.until(lambda: upload.done == 4)
        assert upload.most_at_once == 1

    play(scene, listing())


@pytest.mark.parametrize(
    "change",
    [
        lambda _now: update(posts).values(status="cancelled"),
        lambda _now: posts.delete(),
        lambda now: update(posts).values(scheduled_at=now + 30 * HOUR),
    ],
    ids=["cancelled", "deleted", "moved away"],
)
def test_an_upload_that_nobody_waits_for_is_stopped(
    play: Played, change: Callable[[datetime], Executable]
) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.gate = asyncio.Event()
        world.add(picture=PICTURE, due_in=10 * MINUTE)
        world.prepare(AHEAD)
        await world.until(lambda: upload.at_once == 1)
        world.database.write_now(lambda rows: rows.execute(change(world.time.now())))
        await world.until(lambda: upload.at_once == 0)
        assert upload.sent == []

    play(scene, listing())


def test_a_post_that_was_moved_is_prepared_again_near_its_new_time(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        world.add(picture=PICTURE, due_in=10 * MINUTE)
        world.prepare(AHEAD)
        await world.until(lambda: upload.done == 1)
        later = update(posts).values(scheduled_at=world.time.now() + 30 * HOUR)
        world.database.write_now(lambda rows: rows.execute(later))
        await world.time.sleep(10 * SECOND)
        assert upload.begun == 1
        world.time.offset += 30 * HOUR - 10 * MINUTE
        await world.until(lambda: upload.done == 2)
        await world.time.sleep(10 * SECOND)
        assert upload.begun == 2

    play(scene, listing())


def test_neither_texts_nor_what_is_far_away_are_touched(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        world.add(due_in=MINUTE)
        world.add(picture=PICTURE, due_in=2 * HOUR)
        world.add(picture=PICTURE, due_in=MINUTE, status=PostStatus.CANCELLED)
        near = world.add("Near", picture=PICTURE, due_in=10 * MINUTE)
        world.prepare(AHEAD)
        await world.until(lambda: upload.done == 1)
        await world.time.sleep(15 * SECOND)
        assert upload.sent == ["Near"]
        held = world.database.read_now(lambda rows: rows.scalars(select(preparations.c.post_id)).all())
        assert list(held) == [near]

    play(scene, listing())


def test_a_large_file_is_begun_earlier_but_not_before_the_platform_keeps_it(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        slow = AHEAD.model_copy(update={"prepare_rate": 1024})  # 10 seconds for the picture
        world.platforms[X].keeps = 2 * HOUR
        world.add("Large", picture=PICTURE * 600, due_in=80 * MINUTE)
        world.add("Larger", picture=PICTURE * 1000, due_in=100 * MINUTE)
        world.add("Small", picture=PICTURE, due_in=80 * MINUTE)
        world.prepare(slow)
        await world.until(lambda: upload.done == 1)
        await world.time.sleep(15 * SECOND)
        assert upload.sent == ["Large"]

    play(scene, listing())


def test_trouble_ahead_is_on_record_and_tried_again(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.errors = [trouble(FailureKind.TRANSIENT), trouble(FailureKind.RATE_LIMITED, retry_after=5)]
        post_id = world.add(picture=PICTURE, due_in=90 * SECOND)
        world.prepare(AHEAD)
        await world.until(lambda: upload.done == 1)
        assert world.post(post_id).status == PostStatus.SCHEDULED
        first, second = world.attempts(post_id)
        assert (first.step, first.outcome) == ("prepare", "transient")
        assert "retried automatically" in first.advice
        assert first.platform_message == "words of the platform"
        assert second.started_at - first.finished_at >= SECOND
        world.start(AHEAD)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert world.attempts(post_id)[-1].outcome == "published"

    play(scene, refusing())


def test_a_refusal_is_told_early_and_decided_when_the_post_is_due(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.errors = [trouble(FailureKind.INVALID)] * 2
        post_id = world.add(picture=PICTURE, due_in=90 * SECOND)
        world.prepare(AHEAD)
        await world.until(lambda: len(world.attempts(post_id)) == 1)
        await world.time.sleep(20 * SECOND)
        assert upload.begun == 1
        [attempt] = world.attempts(post_id)
        assert (attempt.step, attempt.outcome) == ("prepare", "refused")
        assert "tried once more when it's due" in attempt.advice
        assert world.post(post_id).status == PostStatus.SCHEDULED
        world.start(AHEAD)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.FAILED
        assert upload.begun == 2

    play(scene, listing())


def test_after_some_tries_the_rest_is_left_to_the_publisher(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.errors = [trouble(FailureKind.AUTH_EXPIRED)] * 6
        few = AHEAD.model_copy(update={"prepare_tries": 3})
        post_id = world.add(picture=PICTURE, due_in=2 * MINUTE)
        world.prepare(few)
        await world.until(lambda: len(world.attempts(post_id)) == 3)
        await world.time.sleep(30 * SECOND)
        assert upload.begun == 6  # each try asks for another token, too
        # Refused calls alone leave an account in doubt: it isn't ended, so there is nothing to do yet.
        assert "retried automatically" in world.attempts(post_id)[0].advice
        world.start(few)
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED

    play(scene, listing())


def test_who_slept_through_the_end_of_its_hold_writes_no_step(play: Played) -> None:
    """Else it would point the publisher to an upload that is not the one which is being published."""

    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.gate = asyncio.Event()
        post_id = world.add(picture=PICTURE, due_in=2 * MINUTE)
        world.prepare(AHEAD.model_copy(update={"lease": 100 * HOUR}))
        await world.until(lambda: upload.at_once == 1)
        world.database.write_now(lambda rows: rows.execute(update(preparations).values(held_until=None)))
        world.start(AHEAD)
        await world.until(lambda: upload.at_once == 2)
        sleeper: Awaitable[None] = world.time.sleep(5 * SECOND)
        upload.gate.set()
        await sleeper
        await world.until_done()
        assert world.post(post_id).status == PostStatus.POSTED
        assert upload.done == 1

    play(scene, listing())


def test_stopping_lets_go_at_once(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.gate = asyncio.Event()
        world.add(picture=PICTURE, due_in=10 * MINUTE)
        preparer = world.prepare(AHEAD)
        await world.until(lambda: upload.at_once == 1)
        await preparer.stop()
        [row] = world.database.read_now(lambda rows: rows.execute(select(preparations)).all())
        assert (row.held_by, row.held_until, row.tries) == (None, None, 0)
        await world.until(lambda: upload.at_once == 0)

    play(scene, listing())


def test_the_dead_owner_of_a_folder_holds_nothing_back(play: Played) -> None:
    async def scene(world: World) -> None:
        upload = Upload(world)
        upload.gate = asyncio.Event()
        endless = AHEAD.model_copy(update={"lease": 100 * HOUR})
        world.add(picture=PICTURE, due_in=10 * MINUTE)
        world.prepare(endless)
        await world.until(lambda: upload.at_once == 1)
        await world.crash()
        upload.gate.set()
        world.prepare(endless)
        await world.until(lambda: upload.done == 1)

    play(scene, listing())
