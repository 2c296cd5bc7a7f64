"""What the service allows, against what waits to be sent."""

from datetime import timedelta

import pytest

from app.contract.companion import Quota
from app.contract.enums import Action, SubscriptionStatus
from app.contract.usage import Storage, Usage
from app.workspace.clock import from_millis
from app.workspace.warnings.limits import WaitingFile, no_room, subscription, too_late
from app.workspace.warnings.warning import PlanWarning, PlanWarnings, WarningKind
from tests.workspace.model_service import HOUR, START
from tests.workspace.warnings.test_checks import MINUTE, post

GB = 10**9


def usage(free: int = GB, status: SubscriptionStatus = SubscriptionStatus.ACTIVE, hours: float = 0) -> Usage:
    return Usage(
        plan="creator",
        status=status,
        current_period_end=from_millis(START) + timedelta(hours=hours) if hours else None,
        period="month",
        actions={},
        storage=Storage(used_bytes=25 * GB - free, cap_bytes=25 * GB, used_human="", cap_human=""),
    )


def quota(limit: int | None, remaining: int | None = None) -> Quota:
    return Quota(
        action=Action.POSTS_CREATE, limit=limit, remaining=remaining, window_seconds=60, full_in_seconds=0
    )


def test_files_that_fit_are_fine_and_so_is_a_service_that_says_nothing() -> None:
    files = [WaitingFile(GB // 2, START + HOUR), WaitingFile(GB // 2)]
    assert list(no_room(files, usage())) == []
    assert list(no_room([WaitingFile(GB * 9)], None)) == []
    assert list(no_room([], usage(free=0))) == []


def test_the_first_draft_is_named_whose_file_finds_no_room() -> None:
    files = [
        WaitingFile(GB // 2, START + HOUR),
        WaitingFile(GB, START + 9 * HOUR),
        WaitingFile(GB // 4, START + 2 * HOUR),
        WaitingFile(GB, START + 5 * HOUR),
    ]
    [warning] = no_room(files, usage())
    assert warning == PlanWarning(
        WarningKind.NO_ROOM, "", START + 5 * HOUR, needs=GB * 2 + GB * 3 // 4, free=GB
    )
    [full] = no_room([WaitingFile(1)], usage(free=-GB))
    assert (full.at, full.free) == (0, 0)


def test_no_room_is_told_although_it_is_about_no_post() -> None:
    warnings = PlanWarnings.of(no_room([WaitingFile(2 * GB)], usage()))
    assert warnings.listed[0].kind.fails
    assert warnings.failing() == frozenset()
    assert not warnings.by_key


@pytest.mark.parametrize(
    ("status", "hours", "expected"),
    [
        (SubscriptionStatus.ACTIVE, 5, []),
        (SubscriptionStatus.PAST_DUE, 5, ["q"]),
        (SubscriptionStatus.PAST_DUE, 0, ["p", "q"]),
        (SubscriptionStatus.INACTIVE, 0, ["p", "q"]),
    ],
)
def test_posts_after_the_end_of_a_subscription(
    status: SubscriptionStatus, hours: float, expected: list[str]
) -> None:
    posts = [post("p", START + HOUR), post("q", START + 5 * HOUR)]
    assert [one.key for one in subscription(posts, usage(status=status, hours=hours))] == expected
    assert list(subscription(posts, None)) == []


def test_posts_that_cannot_be_sent_before_their_time() -> None:
    posts = [post(f"{n:03}", START + 2 * MINUTE) for n in range(200)]
    unsent = {one.key for one in posts}
    late = [one.key for one in too_late(posts, unsent, quota(60, 20), START)]
    assert late == [f"{n:03}" for n in range(140, 200)]
    assert list(too_late(posts, unsent, quota(None), START)) == []
    assert list(too_late(posts, unsent, None, START)) == []
    assert list(too_late(posts, (), quota(60, 0), START)) == []
