from datetime import UTC, datetime, timedelta

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.desktop.connections.standing import standing
from app.workspace.accounts.account import Account
from app.workspace.clock import to_millis
from app.workspace.posts.planned import PlannedPost

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def account(
    platform: str = "linkedin",
    *,
    available: bool = True,
    ends: timedelta | None = None,
    practice: bool = False,
    sign_in: timedelta | None = None,
) -> Account:
    return Account(
        key="a",
        platform=ConnectionPlatform(platform),
        name="Okafor Studio",
        handle=None,
        identifier="1",
        avatar_url=None,
        followers=None,
        is_verified=None,
        is_available=available,
        token_expires_at=None if ends is None else NOW + ends,
        connected_at=NOW,
        color_index=0,
        practice=practice,
        sign_in_by=None if sign_in is None else NOW + sign_in,
    )


def posts(*ahead: timedelta) -> list[PlannedPost]:
    return [
        PlannedPost(
            "k", to_millis(NOW + one), "a", PostingPlatform.LINKEDIN, PostType.TEXT, PostStatus.SCHEDULED, ""
        )
        for one in ahead
    ]


@pytest.mark.parametrize(
    ("hours", "urgency", "text"),
    [
        (41 * 24, "fine", "Access expires in 41 days"),
        (7 * 24 + 1, "fine", "Access expires in 8 days"),
        (7 * 24, "soon", "Access expires in 7 days"),
        (25, "soon", "Access expires in 2 days"),
        (24, "soon", "Access expires in 24 hours"),
        (1.5, "soon", "Access expires in 2 hours"),
        (0.5, "soon", "Access expires in 30 minutes"),
        (0.001, "soon", "Access expires in 1 minute"),
    ],
)
def test_the_end_of_access_is_counted_down(hours: float, urgency: str, text: str) -> None:
    found = standing(account(ends=timedelta(hours=hours)), [], NOW)
    assert (found.urgency, found.text) == (urgency, text)


def test_an_ended_one_names_the_day_and_what_will_fail() -> None:
    found = standing(
        account(available=False, ends=-timedelta(days=2)), posts(timedelta(1), timedelta(2)), NOW
    )
    assert found.urgency == "ended"
    assert found.text == "Access expired on 19 Nov"
    assert found.posts == "2 scheduled posts will fail"


def test_one_that_was_taken_away_names_no_day() -> None:
    assert standing(account(available=False, ends=timedelta(days=9)), [], NOW).text == "Access expired"


def test_posts_after_the_end_are_counted() -> None:
    found = standing(account(ends=timedelta(days=4)), posts(timedelta(1), timedelta(5), timedelta(6)), NOW)
    assert found.posts == "2 posts are scheduled after that"


def test_what_renews_itself_counts_nothing_down() -> None:
    assert standing(account("x", ends=timedelta(hours=1)), [], NOW).text == "Renews automatically"


def test_practice_and_profile_only_say_so() -> None:
    assert standing(account(practice=True), [], NOW).text == "Posts never leave this computer"
    assert "can't publish to Threads yet" in standing(account("threads"), [], NOW).text


@pytest.mark.parametrize(
    ("days", "urgency", "text", "about_posts"),
    [
        (14, "fine", "Sign in again by 5 Dec", ""),
        (3, "soon", "Sign in again by 24 Nov", "1 post is scheduled after that"),
    ],
)
def test_a_session_that_ends_says_by_when_to_sign_in_again(
    days: float, urgency: str, text: str, about_posts: str
) -> None:
    of = account("bluesky", ends=timedelta(hours=1), sign_in=timedelta(days=days))
    told = standing(of, posts(timedelta(days=1), timedelta(days=4)), NOW)
    assert (told.urgency, told.text, told.posts) == (urgency, text, about_posts)
    assert of.access_ends_at == of.sign_in_by
