"""What is warned of, and what is not."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.workspace.accounts.account import Account
from app.workspace.clock import from_millis
from app.workspace.posts.planned import PlannedPost
from app.workspace.rules import RuleIssue
from app.workspace.warnings.checks import TOO_CLOSE_MS, Contents, Surroundings, find
from app.workspace.warnings.presence import Presence
from app.workspace.warnings.warning import PlanWarnings, WarningKind
from tests.workspace.model_service import HOUR, START

MINUTE = 60_000
ACCOUNT = Account(
    key="a",
    platform=ConnectionPlatform.LINKEDIN,
    name="Studio",
    handle=None,
    identifier="a",
    avatar_url=None,
    followers=None,
    is_verified=None,
    is_available=True,
    token_expires_at=None,
    connected_at=datetime(2026, 1, 1, tzinfo=UTC),
    color_index=0,
    practice=False,
)


def post(key: str, at: int, account: str = "a", status: PostStatus = PostStatus.SCHEDULED) -> PlannedPost:
    return PlannedPost(key, at, account, PostingPlatform.LINKEDIN, PostType.TEXT, status, "words")


def found(
    *posts: PlannedPost,
    account: Account = ACCOUNT,
    contents: Mapping[str, Contents] | None = None,
    unsent: frozenset[str] = frozenset(),
    runs_here: bool = False,
) -> PlanWarnings:
    around = Surroundings(START, unsent, presence=Presence() if runs_here else None)
    ordered = sorted(posts, key=lambda one: (one.at, one.key))
    return PlanWarnings.of(find(ordered, {account.key: account}, contents or {}, around))


def kinds(warnings: PlanWarnings) -> list[tuple[WarningKind, str]]:
    return [(one.kind, one.key) for one in warnings.listed]


def test_nothing_is_said_of_a_plan_that_is_well() -> None:
    contents = {"p": Contents(1), "q": Contents(2)}
    well = found(post("p", START + HOUR), post("q", START + 2 * HOUR), contents=contents)
    assert kinds(well) == []


@pytest.mark.parametrize(
    ("account", "kind"),
    [
        (replace(ACCOUNT, is_available=False), WarningKind.ACCESS_ENDED),
        (replace(ACCOUNT, key="b"), WarningKind.NO_ACCOUNT),
        (
            replace(ACCOUNT, token_expires_at=from_millis(START) + timedelta(hours=5)),
            WarningKind.ACCESS_ENDS,
        ),
    ],
)
def test_access_that_is_missing_at_the_time_of_a_post(account: Account, kind: WarningKind) -> None:
    warnings = found(post("p", START + 5 * HOUR), account=account)
    assert kinds(warnings) == [(kind, "p")]
    assert warnings.failing() == {"p"}


@pytest.mark.parametrize("ends", [timedelta(hours=-1), timedelta(hours=5)])
def test_posts_by_hand_need_no_access(ends: timedelta) -> None:
    account = replace(ACCOUNT, is_available=ends > timedelta(), token_expires_at=from_millis(START) + ends)
    by_hand = post("p", START + 5 * HOUR)._replace(by_hand=True)
    assert kinds(found(by_hand, account=account)) == []


@pytest.mark.parametrize(
    "account",
    [
        replace(ACCOUNT, token_expires_at=from_millis(START) + timedelta(hours=5, milliseconds=1)),
        replace(ACCOUNT, token_expires_at=from_millis(START), platform=ConnectionPlatform.YOUTUBE),
        replace(ACCOUNT, token_expires_at=from_millis(START), practice=True),
        replace(
            ACCOUNT,
            token_expires_at=from_millis(START) + timedelta(days=6),
            platform=ConnectionPlatform.INSTAGRAM,
        ),
    ],
)
def test_access_that_lasts_or_is_renewed_is_fine(account: Account) -> None:
    later = 5 if account.platform is not ConnectionPlatform.INSTAGRAM else 50 * 24
    assert kinds(found(post("p", START + later * HOUR), account=account)) == []


def test_access_that_should_have_been_renewed_long_ago_ends() -> None:
    ends = from_millis(START) + timedelta(days=2)
    account = replace(ACCOUNT, token_expires_at=ends, platform=ConnectionPlatform.INSTAGRAM)
    warnings = found(post("p", START + 47 * HOUR), post("q", START + 49 * HOUR), account=account)
    assert kinds(warnings) == [(WarningKind.ACCESS_ENDS, "q")]


def test_a_broken_rule_is_told_in_its_own_words() -> None:
    contents = {"p": Contents(1, (RuleIssue("description", "It is too long.", "too_long"),))}
    warnings = found(post("p", START + HOUR), contents=contents)
    assert kinds(warnings) == [(WarningKind.RULE, "p")]
    assert [one.message for one in warnings.about("p")] == ["It is too long."]


def test_a_file_that_is_missing_or_gone() -> None:
    missing = RuleIssue("media_storage_path", "Choose the image to publish.", "missing")
    contents = {"p": Contents(1, (missing,)), "q": Contents(2, has_lost_file=True)}
    warnings = found(post("p", START + HOUR), post("q", START + 2 * HOUR), contents=contents)
    assert kinds(warnings) == [(WarningKind.NO_FILE, "p"), (WarningKind.NO_FILE, "q")]


def test_only_a_post_that_no_service_has_taken_lacks_a_board() -> None:
    contents = {"p": Contents(1, (RuleIssue("pinterest_board_id", "Choose a board.", "missing"),))}
    planned = post("p", START + HOUR)
    assert kinds(found(planned, contents=contents)) == []
    assert kinds(found(planned, contents=contents, unsent=frozenset("p"))) == [(WarningKind.NO_BOARD, "p")]


def test_the_later_of_two_posts_within_the_hour_is_named_with_the_earlier() -> None:
    warnings = found(post("p", START + HOUR), post("q", START + HOUR + 59 * MINUTE))
    assert kinds(warnings) == [(WarningKind.TOO_CLOSE, "q")]
    assert warnings.listed[0].other == "p"
    assert not warnings.failing()


def test_a_post_that_has_just_gone_out_counts_and_a_cancelled_one_does_not() -> None:
    soon = post("q", START + 10 * MINUTE)
    assert kinds(found(post("p", START - 20 * MINUTE, status=PostStatus.POSTED), soon)) == [
        (WarningKind.TOO_CLOSE, "q")
    ]
    assert kinds(found(post("p", START + MINUTE, status=PostStatus.CANCELLED), soon)) == []


def test_the_same_text_twice_on_one_account() -> None:
    contents = {key: Contents(7) for key in "pqr"}
    posts = post("p", START + HOUR), post("q", START + 9 * HOUR), post("r", START + 9 * HOUR, "b")
    accounts = {"a": ACCOUNT, "b": replace(ACCOUNT, key="b")}
    warnings = PlanWarnings.of(find(posts, accounts, contents, Surroundings(START)))
    assert kinds(warnings) == [(WarningKind.SAME_TEXT, "q")]
    assert warnings.listed[0].other == "p"


def test_the_same_text_as_one_that_has_just_gone_out() -> None:
    contents = {key: Contents(7) for key in "opq"}
    out = post("o", START - 20 * HOUR, status=PostStatus.POSTED)
    failed = post("p", START - 2 * HOUR, status=PostStatus.FAILED)
    warnings = found(out, failed, post("q", START + 9 * HOUR), contents=contents)
    assert kinds(warnings) == [(WarningKind.SAME_TEXT, "q")]
    assert warnings.listed[0].other == "o"


def test_posts_without_words_are_not_alike() -> None:
    contents = {key: Contents(0) for key in "pq"}
    assert kinds(found(post("p", START + HOUR), post("q", START + 9 * HOUR), contents=contents)) == []


def test_sleep_is_spoken_of_once_and_only_where_it_matters() -> None:
    posts = post("p", START + HOUR), post("q", START + 9 * HOUR)
    warnings = found(*posts, runs_here=True)
    assert [(one.kind, one.key, one.at) for one in warnings.listed] == [
        (WarningKind.ASLEEP, "", START + HOUR)
    ]
    assert not warnings.by_key
    assert kinds(found(runs_here=True)) == []


def test_what_is_over_is_no_longer_warned_of() -> None:
    gone = replace(ACCOUNT, is_available=False)
    posts = [
        post("p", START - MINUTE),
        post("q", START + HOUR, status=PostStatus.FAILED),
        post("r", START + HOUR, status=PostStatus.CANCELLED),
        post("s", START + HOUR, status=PostStatus.PROCESSING),
        post("t", START + HOUR)._replace(may_be_live=True),
    ]
    assert kinds(found(*posts, account=gone)) == []


@given(st.lists(st.tuples(st.integers(1, 600), st.sampled_from("ab")), max_size=30))
def test_an_account_has_a_warning_for_each_gap_below_an_hour(plan: list[tuple[int, str]]) -> None:
    accounts = {key: replace(ACCOUNT, key=key) for key in "ab"}
    times = {f"{number:02}": (START + minute * MINUTE, key) for number, (minute, key) in enumerate(plan)}
    posts = sorted((post(key, at, of) for key, (at, of) in times.items()), key=lambda one: (one.at, one.key))
    warnings = list(find(posts, accounts, {}, Surroundings(START)))
    gaps = []
    for of in "ab":
        own = [one for one in posts if one.account_key == of]
        gaps += [
            later.key for earlier, later in itertools.pairwise(own) if later.at - earlier.at < TOO_CLOSE_MS
        ]
    assert sorted(one.key for one in warnings) == sorted(gaps)
    for one in warnings:
        assert 0 <= times[one.key][0] - times[one.other][0] < TOO_CLOSE_MS
        assert times[one.key][1] == times[one.other][1]


def test_what_fails_comes_first_and_then_time_counts() -> None:
    accounts = {"a": ACCOUNT, "b": replace(ACCOUNT, key="b", is_available=False)}
    posts = [
        post("p", START + HOUR),
        post("q", START + HOUR + MINUTE),
        post("r", START + 8 * HOUR, "b"),
        post("s", START + 12 * HOUR, "b"),
    ]
    warnings = PlanWarnings.of(find(posts, accounts, {}, Surroundings(START, presence=Presence())))
    ended, close = WarningKind.ACCESS_ENDED, WarningKind.TOO_CLOSE
    assert kinds(warnings) == [(ended, "r"), (ended, "s"), (WarningKind.ASLEEP, ""), (close, "q")]
