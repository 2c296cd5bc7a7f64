"""Events: exactly one for each change, in the transaction of the change, whatever dies in between."""

import json
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, Engine, Row, delete, event, insert, select, text, update
from sqlalchemy.exc import OperationalError

from app.contract.enums import CreatedVia, EventType, PostingPlatform, PostStatus, PostType
from app.contract.webhooks import PostEventData, PostFailedData, PostPublishedData
from app.database import Database
from app.platforms.base import Published
from app.service.accounts.accounts import Plan, create_account
from app.service.clock import system_clock
from app.service.publishing import live
from app.service.publishing.attempts import new_attempt
from app.service.publishing.history import ClaimedPost
from app.service.publishing.history import Step as Publishing
from app.service.store.folder import DataFolder
from app.service.store.tables import deliveries, events, posts, webhook_subscriptions
from app.service.webhooks.events import Happening, record, record_all
from tests.service.publishing import own_time
from tests.service.publishing.fakes import FakePlatform, Fate, listing, refusing
from tests.service.publishing.world import SETTINGS, Step, World
from tests.stores import chosen, service_engine, take_back

NOW = system_clock()
DATA = PostEventData(
    post_id=UUID(int=1), platform=PostingPlatform.X, social_account_id=UUID(int=2), batch_id=None
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with closing(DataFolder(tmp_path).open_database()) as database:
        yield database


def add_account(rows: Connection) -> UUID:
    return create_account(rows, "Ines", Plan.LOCAL, NOW)


def add_subscription(rows: Connection, account_id: UUID, *types: EventType, active: bool = True) -> UUID:
    subscription_id = uuid4()
    rows.execute(
        insert(webhook_subscriptions).values(
            id=subscription_id,
            account_id=account_id,
            url="https://1.1.1.1/",
            events=[one.value for one in types],
            secret=b"sealed",
            active=active,
            failure_count=0,
            created_at=NOW,
            updated_at=NOW,
        )
    )
    return subscription_id


def told(database: Database) -> list[Row[Any]]:
    """Every event, in the order of writing."""
    return database.read_now(lambda rows: list(rows.execute(select(events))))


def waiting(database: Database) -> list[Row[Any]]:
    return database.read_now(lambda rows: list(rows.execute(select(deliveries))))


def test_a_transaction_that_is_undone_takes_its_events_along(database: Database) -> None:
    def change(rows: Connection) -> None:
        account_id = add_account(rows)
        add_subscription(rows, account_id, EventType.POST_SCHEDULED)
        record(rows, account_id, EventType.POST_SCHEDULED, DATA, NOW)
        raise RuntimeError("the change did not come off")

    with pytest.raises(RuntimeError):
        database.write_now(change)

    assert told(database) == []
    assert waiting(database) == []


def test_who_subscribed_gets_a_delivery_of_an_event(database: Database) -> None:
    def change(rows: Connection) -> tuple[UUID, UUID, UUID | None]:
        mine, others = add_account(rows), add_account(rows)
        wanted = add_subscription(rows, mine, EventType.POST_FAILED, EventType.POST_SCHEDULED)
        again = add_subscription(rows, mine, EventType.POST_SCHEDULED)
        add_subscription(rows, mine, EventType.POST_FAILED)
        add_subscription(rows, mine, EventType.POST_SCHEDULED, active=False)
        add_subscription(rows, others, EventType.POST_SCHEDULED)
        return wanted, again, record(rows, mine, EventType.POST_SCHEDULED, DATA, NOW)

    wanted, again, event_id = database.write_now(change)

    [written] = told(database)
    assert (written.id, written.type, written.created_at) == (event_id, "post.scheduled", NOW)
    assert json.loads(written.data) == DATA.model_dump(mode="json")
    rows = waiting(database)
    assert {row.subscription_id for row in rows} == {wanted, again}
    for row in rows:
        assert (row.event_id, row.event_type, row.attempt, row.retry) == (event_id, "post.scheduled", 1, 0)
        assert (row.next_attempt_at, row.delivered_at, row.failed_at) == (NOW, None, None)


@settings(max_examples=30, deadline=None)
@given(
    subscribed=st.lists(
        st.tuples(st.integers(0, 2), st.frozensets(st.sampled_from(list(EventType))), st.booleans()),
        max_size=6,
    ),
    happened=st.lists(st.tuples(st.integers(0, 2), st.sampled_from(list(EventType))), max_size=12),
)
def test_many_at_once_fan_out_like_one_after_the_other(
    shared_database: Database,
    subscribed: list[tuple[int, frozenset[EventType], bool]],
    happened: list[tuple[int, EventType]],
) -> None:
    def change(rows: Connection) -> tuple[list[UUID], list[UUID], list[UUID]]:
        accounts = [add_account(rows) for _ in range(3)]
        subscriptions = [
            add_subscription(rows, accounts[whose], *types, active=active)
            for whose, types, active in subscribed
        ]
        happenings = [Happening(accounts[whose], event_type, DATA, NOW) for whose, event_type in happened]
        return accounts, subscriptions, record_all(rows, happenings)

    _, subscriptions, ids = shared_database.write_now(change)

    expected = {
        (subscription_id, event_id)
        for subscription_id, (owner, types, active) in zip(subscriptions, subscribed, strict=True)
        for event_id, (whose, event_type) in zip(ids, happened, strict=True)
        if active and owner == whose and event_type in types
    }
    rows = [row for row in waiting(shared_database) if row.subscription_id in subscriptions]
    assert len(rows) == len(expected)
    assert {(row.subscription_id, row.event_id) for row in rows} == expected


@pytest.fixture(scope="module")
def shared_database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with closing(DataFolder(tmp_path_factory.mktemp("events")).open_database()) as database:
        yield database


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """A store on PostgreSQL: SQLite has one writer at a time."""
    with chosen("postgresql"):
        engine = service_engine(tmp_path)
    yield engine
    engine.dispose()
    take_back(tmp_path)


def test_a_subscription_cannot_be_deleted_before_its_delivery_is_committed(engine: Engine) -> None:
    with engine.begin() as rows:
        account_id = add_account(rows)
        subscription_id = add_subscription(rows, account_id, EventType.POST_SCHEDULED)
    own = webhook_subscriptions.c.id == subscription_id
    with engine.begin() as rows, engine.begin() as other:
        record(rows, account_id, EventType.POST_SCHEDULED, DATA, NOW)
        other.execute(text("SET LOCAL lock_timeout = '10s'"))
        other.execute(update(webhook_subscriptions).where(own).values(failure_count=1))
        other.execute(text("SET LOCAL lock_timeout = '200ms'"))
        with pytest.raises(OperationalError, match="lock timeout"):
            other.execute(delete(webhook_subscriptions).where(own))


def test_an_event_waits_for_no_subscription_that_does_not_want_it(engine: Engine) -> None:
    with engine.begin() as rows:
        mine, others = add_account(rows), add_account(rows)
        add_subscription(rows, mine, EventType.POST_SCHEDULED, active=False)
        add_subscription(rows, others, EventType.POST_SCHEDULED)
    with engine.begin() as rows, engine.begin() as other:
        other.execute(select(webhook_subscriptions).with_for_update())
        rows.execute(text("SET LOCAL lock_timeout = '10s'"))
        record(rows, mine, EventType.POST_SCHEDULED, DATA, NOW)
        assert rows.execute(select(deliveries)).all() == []


def test_a_batch_costs_a_few_statements_however_long_it_is(database: Database) -> None:
    statements: list[str] = []

    def note(*given: Any) -> None:
        statements.append(given[2])

    def change(rows: Connection) -> None:
        account_id = add_account(rows)
        add_subscription(rows, account_id, EventType.POST_PUBLISHED)
        event.listen(rows, "before_cursor_execute", note)
        record_all(rows, [Happening(account_id, EventType.POST_PUBLISHED, DATA, NOW)] * 500)
        event.remove(rows, "before_cursor_execute", note)

    database.write_now(change)

    assert len(statements) == 3
    assert len(waiting(database)) == 500


Scene = Callable[[World], Coroutine[Any, Any, None]]


@pytest.fixture
def play(tmp_path: Path) -> Callable[[Scene, FakePlatform], None]:
    """Runs a scene in a new world whose account has subscribed to everything."""

    def run(scene: Scene, platform: FakePlatform) -> None:
        async def main() -> None:
            world = World(tmp_path, [platform])
            world.database.write_now(lambda rows: add_subscription(rows, world.account_id, *EventType))
            try:
                await scene(world)
            finally:
                await world.close()

        own_time.run(main())

    return run


Played = Callable[[Scene, FakePlatform], None]


def test_what_is_published_is_told_with_its_item(play: Played) -> None:
    async def scene(world: World) -> None:
        post_id = world.add()
        world.start()
        await world.until_done()

        [written] = told(world.database)
        [content], post = world.contents(), world.post(post_id)
        assert written.type == "post.published"
        data = PostPublishedData.model_validate_json(written.data)
        assert data == PostPublishedData(
            post_id=post_id,
            platform=PostingPlatform.X,
            social_account_id=post.connection_id,
            batch_id=None,
            content_id=content.content_id,
            posted_at=post.posted_at,
        )
        assert [row.event_id for row in waiting(world.database)] == [written.id]

    play(scene, listing())


@pytest.mark.parametrize("kind", [listing, refusing])
@pytest.mark.parametrize("step", [Step.BEFORE, Step.AFTER])
@pytest.mark.parametrize("write", range(1, 7))
def test_death_at_any_write_neither_loses_nor_invents_an_event(
    play: Played, kind: Callable[[], FakePlatform], step: Step, write: int
) -> None:
    async def scene(world: World) -> None:
        world.database.deaths = [(write, step)]
        post_id = world.add()
        await world.live_through()

        [written] = told(world.database)
        assert written.type == "post.published"
        assert json.loads(written.data)["post_id"] == str(post_id)
        assert len(waiting(world.database)) == 1

    play(scene, kind())


@pytest.mark.parametrize("fate", [Fate.LOST_AFTER, Fate.GARBLED, Fate.LOST_BEFORE, Fate.BUSY])
@pytest.mark.logs_error("a call failed unexpectedly")
def test_a_publication_that_took_two_ways_is_told_once(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [fate]
        world.add()
        world.start()
        await world.until_done()

        assert len(there.ledger) == 1
        assert [written.type for written in told(world.database)] == ["post.published"]

    play(scene, listing())


def test_a_burst_is_told_post_by_post(play: Played) -> None:
    async def scene(world: World) -> None:
        ids = [world.add(f"Number {number}") for number in range(60)]
        world.start()
        await world.until_done()

        assert sorted(json.loads(one.data)["post_id"] for one in told(world.database)) == sorted(
            map(str, ids)
        )
        assert len(waiting(world.database)) == 60

    play(scene, listing())


@pytest.mark.parametrize("hard", [False, True])
def test_what_went_live_although_it_was_deleted_is_told(play: Played, hard: bool) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        post_id = world.add()

        async def remove() -> None:
            work = delete(posts) if hard else update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = remove
        world.start()
        await world.until(lambda: len(told(world.database)) == 1)

        [written] = told(world.database)
        assert written.type == "post.published"
        assert json.loads(written.data)["post_id"] == str(post_id)

    play(scene, listing())


def test_what_is_refused_is_told_with_the_reason(play: Played) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [Fate.REFUSED]
        post_id = world.add()
        world.start()
        await world.until_done()

        [written] = told(world.database)
        data = PostFailedData.model_validate_json(written.data)
        assert (written.type, data.post_id) == ("post.failed", post_id)
        assert data.reason.startswith("X refused the content.")
        assert data.reason.endswith("X said: text is not nice")

    play(scene, listing())


def test_an_outcome_that_nobody_knows_says_that_it_may_be_live(play: Played) -> None:
    async def scene(world: World) -> None:
        platform = next(iter(world.platforms.values()))
        platform.fates = [Fate.LOST_AFTER]
        platform.repeat_window = None
        world.add()
        world.start()
        await world.until_done()

        [written] = told(world.database)
        assert written.type == "post.failed"
        assert "whether the post is live" in json.loads(written.data)["reason"]

    play(scene, refusing())


@pytest.mark.parametrize("fate", [Fate.BUSY, Fate.REFUSED])
def test_a_cancelled_post_that_did_not_go_out_tells_nothing(play: Played, fate: Fate) -> None:
    async def scene(world: World) -> None:
        (there,) = world.platforms.values()
        there.fates = [fate]
        world.add()

        async def cancel() -> None:
            work = update(posts).values(status="cancelled")
            await world.database.write(lambda rows: rows.execute(work))

        there.during = cancel
        world.start()
        await world.until(lambda: there.calls == 1)
        await world.until_done()
        await world.time.sleep(SETTINGS.retry_longest)

        assert told(world.database) == []

    play(scene, listing())


def test_a_post_that_was_missed_is_told(play: Played) -> None:
    async def scene(world: World) -> None:
        world.add(due_in=-timedelta(days=1))
        world.start()
        await world.until_done()

        [written] = told(world.database)
        assert (written.type, "too late" in written.data) == ("post.failed", True)

    play(scene, listing())


def test_news_that_come_twice_are_told_once(play: Played) -> None:
    """An outcome is written again where it is not known whether the first write came through."""

    async def scene(world: World) -> None:
        first, second = claimed(world, world.add("One")), claimed(world, world.add("Two"))
        now = world.time.now()
        published = Published("item-1", None)
        item = live.Item(first, new_attempt(Publishing.PUBLISH, now), published, now, now)
        same = live.Item(second, new_attempt(Publishing.PUBLISH, now), published, now, now)

        for items in ([item], [item], [item, same]):
            world.database.write_now(partial(live.publish, items=items))

        posts_told = [json.loads(written.data)["post_id"] for written in told(world.database)]
        assert posts_told == [str(first.id), str(second.id)]

    play(scene, listing())


def claimed(world: World, post_id: UUID) -> ClaimedPost:
    """A post as an engine holds it."""
    post = world.post(post_id)
    return ClaimedPost(
        id=post.id,
        account_id=post.account_id,
        connection_id=post.connection_id,
        platform=PostingPlatform(post.platform),
        post_type=PostType.TEXT,
        status=PostStatus.PROCESSING,
        title=None,
        description=post.description,
        scheduled_at=post.scheduled_at,
        batch_id=None,
        created_via=CreatedVia.REST,
        account_identifier="person-0",
        username=None,
    )
