"""Rate limits: the token bucket, and calls by key, action and plan, over the wire."""

import asyncio
import math
import re
import time
import tomllib
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from itertools import product
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.contract.enums import Action
from app.service.accounts.accounts import Plan, change_account
from app.service.api.responses import RateLimitedError
from app.service.limits import (
    WINDOW_S,
    HoldBack,
    Kind,
    Level,
    LimitSettings,
    LocalLimits,
    PlanLimits,
    RateLimiter,
    TokenBuckets,
    kind_of,
)
from app.service.problems import CommandProblem
from app.service.settings import RunOptions, read_settings
from tests.leaping import leap, run_still
from tests.service.running import Caller, RunningService, run_service

steps = st.lists(st.floats(0, 30, allow_nan=False), max_size=120)
sizes = st.integers(1, 50)
BULK_LIMIT = 10


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.time = 1_000.0

    def __call__(self) -> float:
        return self.time


@given(sizes, steps)
def test_no_more_than_a_full_bucket_and_what_flows_in_is_ever_let_through(
    size: int, pauses: list[float]
) -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    taken: list[float] = []
    for pause in pauses:
        clock.time += pause
        left = buckets.level("name", size).tokens
        wait = buckets.take("name", size)
        assert (wait == 0) == (left > 0)
        if wait == 0:
            taken.append(clock.time)
    for index, began in enumerate(taken):
        for count, ended in enumerate(taken[index:], 1):
            assert count <= size + (ended - began) * size / WINDOW_S + 1e-6


@given(sizes, steps)
def test_waiting_as_long_as_told_is_enough_and_a_little_less_is_not(size: int, pauses: list[float]) -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    for pause in [*pauses, *[0.0] * size]:
        clock.time += pause
        buckets.take("name", size)
    wait = buckets.take("name", size)
    assert 0 < wait <= WINDOW_S / size + 1e-6
    clock.time += wait * 0.9
    assert buckets.take("name", size) > 0
    clock.time += wait * 0.1 + 1e-6
    assert buckets.take("name", size) == 0


def test_the_level_is_whole_calls_and_the_seconds_until_all_are_back() -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    levels = [buckets.level("name", 4)]
    for _ in range(4):
        assert buckets.take("name", 4) == 0
        levels.append(buckets.level("name", 4))
    assert [level.tokens for level in levels] == [4, 3, 2, 1, 0]
    assert [level.full_in for level in levels] == pytest.approx([0, 15, 30, 45, 60])
    tokens = []
    for seconds in (14.9, 0.2, 14.8, 0.2, 29.8, 0.2, 600):
        clock.time += seconds
        tokens.append(buckets.level("name", 4).tokens)
    assert tokens == [0, 1, 1, 2, 3, 4, 4]
    assert buckets.level("name", 4).full_in == 0


@given(sizes, sizes, st.integers(0, 60))
def test_another_limit_keeps_the_number_of_calls_that_were_used(before: int, after: int, used: int) -> None:
    buckets = TokenBuckets(Hand())
    taken = sum(buckets.take("name", before) == 0 for _ in range(used))
    assert buckets.level("name", after).tokens == max(0, after - taken)
    left = sum(buckets.take("name", after) == 0 for _ in range(after + 1))
    assert left == max(0, after - taken)
    if after <= taken:
        assert buckets.take("name", after) <= WINDOW_S / after + 1e-6


def test_buckets_do_not_share() -> None:
    buckets = TokenBuckets(Hand())
    assert [buckets.take("a", 1), buckets.take("b", 1)] == [0, 0]
    assert buckets.take("a", 1) == pytest.approx(WINDOW_S)


def test_a_bucket_that_is_full_again_takes_no_room() -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    for name in range(100_000):
        clock.time += 0.1
        buckets.take(name, 10)
    assert len(buckets) < 2_100  # 60 are not full; swept when there are 1,024


def test_few_buckets_are_never_looked_through() -> None:
    """Each look takes as long as there are buckets."""
    clock = Hand()
    buckets = TokenBuckets(clock)
    for name in range(1_023):
        buckets.take(name, 10)
        clock.time += WINDOW_S
    assert len(buckets) == 1_023
    for name in range(1_023, 2_046):
        buckets.take(name, 10)
        clock.time += WINDOW_S
    assert len(buckets) == 1_023  # looked through at 1,024, of which one wasn't full


def test_however_many_buckets_there_are_none_that_is_not_full_is_forgotten() -> None:
    clock = Hand()
    buckets = TokenBuckets(clock)
    for name in range(5_000):
        assert buckets.take(name, 1) == 0
    assert len(buckets) == 5_000
    assert all(buckets.take(name, 1) > 0 for name in range(5_000))
    clock.time += WINDOW_S
    for name in range(5_000, 20_000):
        assert buckets.take(name, 1) == 0
    assert len(buckets) == 15_000


KEY, OTHER = UUID(int=1), UUID(int=2)
FEW = LimitSettings(free=PlanLimits(create=2, bulk=1, write=3, read=4, file=5))


def taken(call: Callable[[], None]) -> int:
    """How many calls are taken until one is refused."""
    for number in range(10_000):
        try:
            call()
        except RateLimitedError:
            return number
    raise AssertionError("no call is refused")


def test_calls_are_counted_by_key_and_action() -> None:
    limiter = RateLimiter(FEW, TokenBuckets(Hand()))
    limits = {Action.POSTS_CREATE: 2, Action.POSTS_BULK: 1, Action.WEBHOOKS_TEST: 3}
    limits |= {Action.POSTS_LIST: 4, Action.POSTS_GET: 4}
    for key, (action, limit) in product((KEY, OTHER), limits.items()):
        assert limiter.limit(Plan.FREE, action) == limit
        assert limiter.level(key, Plan.FREE, action).tokens == limit
        assert taken(lambda: limiter.take(key, Plan.FREE, action)) == limit  # noqa: B023
        assert limiter.level(key, Plan.FREE, action) == Level(0, WINDOW_S)


def test_calls_to_the_companion_are_counted_by_account_and_endpoint() -> None:
    limiter = RateLimiter(FEW, TokenBuckets(Hand()))
    limits = {"keys": (Kind.WRITE, 3), "accounts": (Kind.READ, 4), "files": (Kind.FILE, 5)}
    for account, (endpoint, (kind, limit)) in product((KEY, OTHER), limits.items()):
        call = partial(limiter.take_companion, account, Plan.FREE, endpoint, kind)
        assert taken(call) == limit


def test_other_limits_hold_from_the_next_call_on() -> None:
    limiter = RateLimiter(FEW, TokenBuckets(Hand()))
    assert taken(lambda: limiter.take(KEY, Plan.FREE, Action.POSTS_CREATE)) == 2
    limiter.use(LimitSettings(free=PlanLimits(create=5)))
    assert taken(lambda: limiter.take(KEY, Plan.FREE, Action.POSTS_CREATE)) == 3


def test_a_limiter_has_buckets_of_its_own_unless_it_shares_some() -> None:
    buckets = TokenBuckets(Hand())
    for shared, counts in ((None, [1, 1]), (buckets, [1, 0])):
        limiters = [RateLimiter(FEW, shared), RateLimiter(FEW, shared)]
        calls = [partial(one.take, KEY, Plan.FREE, Action.POSTS_BULK) for one in limiters]
        assert [taken(call) for call in calls] == counts


@pytest.mark.parametrize(
    ("create", "after", "words", "wait"),
    [
        (1, 0, "60 seconds", 60),
        (1, 58.4, "2 seconds", 1.6),
        (1, 59, "a second", 1),
        (7, 0, "9 seconds", 8.572),
        (60, 0, "a second", 1),
        (900, 0, "a second", 0.067),
    ],
)
def test_a_refusal_names_the_wait_in_seconds_and_gives_it_in_milliseconds_rounded_up(
    create: int, after: float, words: str, wait: float
) -> None:
    clock = Hand()
    limiter = RateLimiter(LimitSettings(free=PlanLimits(create=create)), TokenBuckets(clock))
    for _ in range(create):
        limiter.take(KEY, Plan.FREE, Action.POSTS_CREATE)
    clock.time += after
    with pytest.raises(RateLimitedError) as refused:
        limiter.take(KEY, Plan.FREE, Action.POSTS_CREATE)
    assert str(refused.value) == f"Too many calls of this kind. Wait for {words} and try again."
    assert refused.value.retry_after == pytest.approx(wait, abs=0.0011)
    assert refused.value.retry_after >= wait - 1e-9
    assert round(refused.value.retry_after * 1_000, 6).is_integer()


@pytest.mark.parametrize(("limit", "is_one"), [(0, False), (1, True), (1_000_000, True), (1_000_001, False)])
def test_a_limit_is_between_one_and_a_million(limit: int, is_one: bool) -> None:
    for kind, limits in product(Kind, (PlanLimits, LocalLimits)):
        with nullcontext() if is_one else pytest.raises(ValidationError):
            assert getattr(limits.model_validate({kind.value: limit}), kind) == limit


def test_limits_that_plans_share_cannot_be_changed() -> None:
    settings = LimitSettings()
    with pytest.raises(ValidationError):
        settings.free = PlanLimits()  # type: ignore[misc]  # that is the point
    with pytest.raises(ValidationError):
        settings.free.create = 1  # type: ignore[misc]


@pytest.fixture
def free(service: RunningService, caller: Caller) -> Caller:
    """A caller on a plan whose limits can be met."""
    put_on_plan(service, caller, Plan.FREE)
    return caller


def put_on_plan(service: RunningService, caller: Caller, plan: Plan) -> None:
    service.database.write_now(lambda rows: change_account(rows, caller.account_id, plan=plan))


def call_bulk(http: httpx.Client) -> httpx.Response:
    return http.post("/posts/bulk", json={"posts": []})


def exhaust(call: Callable[[], httpx.Response], limit: int) -> tuple[int, httpx.Response]:
    """Calls until one is refused, whatever flows in meanwhile; how many were taken, and the refusal."""
    began, taken = time.monotonic(), 0
    while (answer := call()).status_code == 400:
        taken += 1
        assert taken <= limit + (time.monotonic() - began) * limit / WINDOW_S
    assert answer.status_code == 429
    assert taken >= limit
    return taken, answer


def exhaust_bulk(http: httpx.Client) -> tuple[int, httpx.Response]:
    return exhaust(lambda: call_bulk(http), BULK_LIMIT)


def test_one_call_too_many_is_refused_in_the_envelope_with_the_time_to_wait(free: Caller) -> None:
    _, refused = exhaust_bulk(free.http)
    body = refused.json()
    assert set(body) == {"error", "request_id"}
    assert body["error"]["code"] == "rate_limited"
    assert set(body["error"]["details"]) == {"retry_after_seconds"}
    wait = body["error"]["details"]["retry_after_seconds"]
    assert 0 < wait <= 60 / BULK_LIMIT
    assert refused.headers["Retry-After"] == str(math.ceil(wait))
    assert re.fullmatch(
        r"Too many calls of this kind\. Wait for \d seconds and try again\.", body["error"]["message"]
    )


def test_other_actions_other_keys_and_other_accounts_go_on(service: RunningService, free: Caller) -> None:
    exhaust_bulk(free.http)
    assert free.http.get("/posts").status_code == 200
    second = Caller(service, free.account_id, service.new_key(free.account_id)[1])
    service.callers.append(second)
    assert call_bulk(second.http).status_code == 400
    assert call_bulk(service.new_caller().http).status_code == 400


def test_after_the_wait_the_call_is_taken_again(free: Caller) -> None:
    _, refused = exhaust(lambda: free.http.post("/posts", json={}), 60)
    wait = refused.json()["error"]["details"]["retry_after_seconds"]
    assert 0 < wait <= 1
    time.sleep(wait)
    assert free.http.post("/posts", json={}).status_code == 400


def test_a_call_that_is_refused_for_its_number_is_not_counted_as_used(free: Caller) -> None:
    taken, _ = exhaust_bulk(free.http)
    assert free.http.get("/usage").json()["actions"]["rest.posts.bulk"] == taken


def test_a_better_plan_holds_from_the_next_call_on(service: RunningService, free: Caller) -> None:
    exhaust_bulk(free.http)
    put_on_plan(service, free, Plan.LOCAL)
    assert call_bulk(free.http).status_code == 400


def test_without_a_good_key_nothing_is_counted(service: RunningService, free: Caller) -> None:
    with service.client({"Authorization": "Bearer stp_rest_" + "0" * 64}) as stranger:
        assert {call_bulk(stranger).status_code for _ in range(BULK_LIMIT + 5)} == {401}
    exhaust_bulk(free.http)


def test_limits_can_be_switched_off(tmp_path: Path) -> None:
    run = RunOptions(practice_url="http://practice.invalid", rate_limit=False)
    with run_service(tmp_path, {}, run) as service:
        caller = service.new_caller()
        put_on_plan(service, caller, Plan.FREE)
        assert {call_bulk(caller.http).status_code for _ in range(BULK_LIMIT + 5)} == {400}
        service.forget_callers()


def test_every_action_has_a_limit_by_what_it_does() -> None:
    limits = LimitSettings()
    assert {kind_of(action) for action in Action} == set(Kind) - {Kind.FILE}  # of the companion alone
    reading = {"list", "get", "analytics", "boards", "view", "deliveries"}
    for action in Action:
        verb = action.value.rpartition(".")[2]
        assert (kind_of(action) is Kind.READ) == (verb in reading), action
        assert limits.per_minute(Plan.LOCAL, action) == 6_000
    assert limits.per_minute(Plan.STUDIO, Action.POSTS_CREATE) == 60
    assert limits.per_minute(Plan.FREE, Action.POSTS_BULK) == 10
    assert limits.per_minute(Plan.CREATOR, Action.WEBHOOKS_TEST) == 60
    assert limits.per_minute(Plan.FREE, Action.USAGE_GET) == 300
    assert limits.of(Plan.FREE, Kind.FILE) == 1_200
    assert limits.of(Plan.LOCAL, Kind.FILE) == 6_000


def test_the_settings_file_overrides_what_it_names_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "service.toml"
    file.write_text("[limits.free]\ncreate = 5\n[limits.local]\nread = 100\n")
    limits = read_settings(file).limits
    assert limits.per_minute(Plan.FREE, Action.POSTS_CREATE) == 5
    assert limits.per_minute(Plan.FREE, Action.POSTS_LIST) == 300
    assert limits.per_minute(Plan.LOCAL, Action.POSTS_LIST) == 100
    assert limits.per_minute(Plan.LOCAL, Action.POSTS_CREATE) == 6_000


@pytest.mark.parametrize(
    "wrong", ["[limits.free]\ncreate = 0", "[limits.gold]\ncreate = 1", "[limits.free]\nall = 1"]
)
def test_a_limit_that_is_none_is_named(tmp_path: Path, wrong: str) -> None:
    file = tmp_path / "service.toml"
    file.write_text(wrong)
    assert tomllib.loads(wrong)
    with pytest.raises(CommandProblem, match=r"invalid at limits\."):
        read_settings(file)


def _is_prompt(held_back: HoldBack, account_id: UUID) -> bool:
    """Whether a refusal is answered without waiting."""
    refusing = held_back.refuse(account_id)
    try:
        refusing.send(None)
    except StopIteration:
        return True
    refusing.close()
    return False


async def test_who_ignores_refusals_gets_further_ones_later() -> None:
    clock = Hand()
    held_back = HoldBack(TokenBuckets(clock))
    busy, other = uuid4(), uuid4()
    assert all(_is_prompt(held_back, busy) for _ in range(60))
    assert not _is_prompt(held_back, busy)
    assert _is_prompt(held_back, other)
    clock.time += WINDOW_S / 60
    assert _is_prompt(held_back, busy)


async def test_only_so_many_refusals_are_held_at_a_time() -> None:
    held_back = HoldBack(TokenBuckets(Hand()))
    busy = uuid4()
    while _is_prompt(held_back, busy):
        pass
    for _ in range(2):
        waiting = [asyncio.create_task(held_back.refuse(busy)) for _ in range(63)]
        await asyncio.sleep(0)
        assert not _is_prompt(held_back, busy)
        waiting.append(asyncio.create_task(held_back.refuse(busy)))
        await asyncio.sleep(0)
        assert _is_prompt(held_back, busy)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    assert not held_back._held, "an account that calls no more takes no memory"


def test_a_refusal_is_held_for_a_quarter_of_a_second() -> None:
    async def main() -> None:
        held_back = HoldBack(TokenBuckets(Hand()))
        while _is_prompt(held_back, KEY):
            pass
        refusing = asyncio.create_task(held_back.refuse(KEY))
        await asyncio.sleep(0)
        leap(0.24)
        for _ in range(10):
            await asyncio.sleep(0)
        assert not refusing.done()
        leap(0.0101)
        for _ in range(10):
            await asyncio.sleep(0)
        assert refusing.done()

    run_still(main())
