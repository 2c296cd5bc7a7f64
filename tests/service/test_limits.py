"""Rate limits: the token bucket, and calls by key, action and plan, over the wire."""

import asyncio
import math
import re
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import Action
from app.service.accounts.accounts import Plan, change_account
from app.service.limits import WINDOW_S, HoldBack, Kind, LimitSettings, TokenBuckets, kind_of
from app.service.problems import CommandProblem
from app.service.settings import RunOptions, read_settings
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
    waiting = [asyncio.create_task(held_back.refuse(busy)) for _ in range(64)]
    await asyncio.sleep(0)
    assert _is_prompt(held_back, busy)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert not _is_prompt(held_back, busy)
