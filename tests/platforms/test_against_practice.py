"""The adapters and the practice platforms as two programs: consent, publish, a lost answer, a look back."""

from datetime import UTC, datetime, timedelta

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import Adapter, BoardAdapter, FollowersAdapter
from app.platforms.base import (
    Board,
    ContentMetrics,
    FailureKind,
    LookBack,
    LookBackOutcome,
    Publication,
    Published,
)
from tests.platforms.world import APP, REDIRECT, Member, Practice, connect

PLATFORMS = [ConnectionPlatform.LINKEDIN, ConnectionPlatform.X, ConnectionPlatform.FACEBOOK]


@pytest.fixture(params=PLATFORMS, ids=str)
def member(practice: Practice, request: pytest.FixtureRequest) -> Member:
    return connect(practice, request.param)


@pytest.fixture(params=list(ConnectionPlatform), ids=str)
def connected(practice: Practice, request: pytest.FixtureRequest) -> Member:
    return connect(practice, request.param)


def look(practice: Practice, member: Member, post: Publication, *known: str) -> LookBack:
    since = datetime.now(UTC) - timedelta(minutes=1)
    seen: LookBack = practice.run(
        member.platform, lambda adapter: adapter.look_back(post, since=since, known=known)
    )
    return seen


def test_consent_gives_tokens_and_a_profile(connected: Member) -> None:
    assert connected.profile.display_name
    assert connected.profile.avatar_url
    assert connected.consent.expires_at is not None
    assert connected.consent.expires_at > datetime.now(UTC) + timedelta(minutes=59)


@pytest.mark.parametrize(
    "text",
    [
        "Good morning",
        r"(a) [b] {c} <d> @e #f *g* _h_ ~i~ |j| \k",
        "Tom & Jerry &amp; 1 < 2 https://example.com/a?b=1&c=2 and example.org.",
        "日本語 👩‍💻 e\u0301\nsecond line",
    ],
)
def test_a_text_arrives_as_it_was_written(practice: Practice, member: Member, text: str) -> None:
    published: Published = practice.run(member.platform, lambda adapter: adapter.publish(member.post(text)))
    [entry] = practice.ledger(member.profile.account_identifier)
    assert (entry["text"], entry["content_id"]) == (text, published.content_id)


def test_a_lost_answer_on_x_is_found_by_looking_back(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.X)
    post = member.post("1 < 2 & see https://example.com/a?b=1&c=2, or example.org 👩‍💻")
    assert look(practice, member, post) == LookBack(LookBackOutcome.ABSENT)
    assert practice.lose(member.platform, post).kind is FailureKind.AMBIGUOUS
    [entry] = practice.ledger(member.profile.account_identifier)
    assert practice.shows(look(practice, member, post), post) == entry
    assert look(practice, member, post, entry["content_id"]) == LookBack(LookBackOutcome.ABSENT)


def test_a_lost_answer_on_linkedin_is_named_by_the_repeat(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.LINKEDIN)
    post = member.post("Lost (and found)")
    assert practice.lose(member.platform, post).kind is FailureKind.AMBIGUOUS
    assert look(practice, member, post) == LookBack(LookBackOutcome.UNKNOWABLE)
    error = practice.fail(member.platform, lambda adapter: adapter.publish(post))
    [entry] = practice.ledger(member.profile.account_identifier)
    assert error.kind is FailureKind.DUPLICATE
    assert practice.shows(error, post) == entry


def test_a_duplicate_on_x(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.X)
    practice.run(member.platform, lambda adapter: adapter.publish(member.post("Twice")))
    error = practice.fail(member.platform, lambda adapter: adapter.publish(member.post("Twice")))
    assert (error.kind, error.existing) == (FailureKind.DUPLICATE, None)


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("reject", {FailureKind.INVALID, FailureKind.PERMISSION}),
        ("error_500", {FailureKind.AMBIGUOUS}),
        ("rate_limit", {FailureKind.RATE_LIMITED}),
        ("expired_token", {FailureKind.AUTH_EXPIRED}),
    ],
)
def test_faults_while_publishing(
    practice: Practice, member: Member, fault: str, kinds: set[FailureKind]
) -> None:
    practice.order(member.platform, "publish", fault, account=member.profile.account_identifier)
    error = practice.fail(member.platform, lambda adapter: adapter.publish(member.post("Oops")))
    assert error.kind in kinds
    assert error.message
    assert practice.ledger(member.profile.account_identifier) == []


def test_the_wait_that_x_asks_for(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.X)
    practice.order(member.platform, "publish", "rate_limit")
    error = practice.fail(member.platform, lambda adapter: adapter.publish(member.post("Wait")))
    assert error.retry_after is not None
    assert 0 <= error.retry_after <= 10


def test_threads_renews_no_token_on_its_first_day(practice: Practice) -> None:
    old = connect(practice, ConnectionPlatform.THREADS).consent.refresh_token or ""
    error = practice.fail(ConnectionPlatform.THREADS, lambda adapter: adapter.refresh(APP, old))
    assert "24 hours" in error.message


# Threads renews tokens from the second day on.
@pytest.mark.parametrize(
    "connected",
    [one for one in ConnectionPlatform if one is not ConnectionPlatform.THREADS],
    ids=str,
    indirect=True,
)
def test_a_refresh_gives_a_token_that_works(practice: Practice, connected: Member) -> None:
    assert connected.consent.refresh_token is not None
    old = connected.consent.refresh_token
    grant = practice.run(connected.platform, lambda adapter: adapter.refresh(APP, old))
    profile, *_ = practice.run(connected.platform, lambda adapter: adapter.profiles(grant.access_token))
    assert profile == connected.profile


def test_a_revoked_grant_is_the_end(practice: Practice, connected: Member) -> None:
    practice.order(connected.platform, "token", "expired_token", account=connected.profile.account_identifier)
    token, old = connected.grant.access_token, connected.consent.refresh_token or ""
    calling = practice.fail(connected.platform, lambda adapter: adapter.profiles(token))
    refreshing = practice.fail(connected.platform, lambda adapter: adapter.refresh(APP, old))
    assert (calling.kind, refreshing.kind) == (FailureKind.AUTH_EXPIRED, FailureKind.AUTH_EXPIRED)


def test_a_spent_code_is_refused(practice: Practice, connected: Member) -> None:
    error = practice.fail(
        connected.platform,
        lambda adapter: adapter.exchange_code(
            APP, redirect_uri=REDIRECT, code="spent-code", code_verifier="v" * 64
        ),
    )
    assert error.kind is FailureKind.AUTH_EXPIRED
    assert "spent-code" not in error.message


def test_every_page_brings_its_own_token(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.FACEBOOK)
    pages = practice.run(member.platform, lambda adapter: adapter.profiles(member.consent.access_token))
    tokens = {page.grant.access_token for page in pages}
    assert len(pages) == len(tokens) == len({page.account_identifier for page in pages}) == 2
    assert member.consent.access_token not in tokens
    assert all(page.grant.expires_at is None for page in pages)


@pytest.mark.parametrize("platform", [ConnectionPlatform.FACEBOOK, ConnectionPlatform.INSTAGRAM], ids=str)
def test_followers_are_counted_with_the_token_of_a_page(
    practice: Practice, platform: ConnectionPlatform
) -> None:
    """It is the only one that is stored, and lists no Pages."""
    member = connect(practice, platform)
    token, account = member.grant.access_token, member.profile.account_identifier
    listing = practice.fail(platform, lambda adapter: adapter.profiles(token))
    assert (listing.kind, listing.code) == (FailureKind.INVALID, "100")

    async def followers(adapter: Adapter) -> int | None:
        assert isinstance(adapter, FollowersAdapter)
        return await adapter.followers(token, account)

    assert member.profile.follower_count is not None
    assert practice.run(platform, followers) == member.profile.follower_count


def test_a_person_can_let_one_page_alone_be_used(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.FACEBOOK, picked=1)
    pages = practice.run(member.platform, lambda adapter: adapter.profiles(member.consent.access_token))
    assert pages == [member.profile]


def test_an_account_on_instagram_is_that_of_its_page(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.INSTAGRAM)
    assert member.profile.grant is not None
    assert member.profile.grant != member.consent
    assert member.profile.account_identifier.startswith("178414")


@pytest.mark.parametrize("platform", [ConnectionPlatform.X, ConnectionPlatform.FACEBOOK], ids=str)
def test_numbers_of_what_was_published(practice: Practice, platform: ConnectionPlatform) -> None:
    member = connect(practice, platform)
    published = practice.run(platform, lambda adapter: adapter.publish(member.post("Count me")))
    token, unknown = member.grant.access_token, published.content_id[:-1]
    account = member.profile.account_identifier
    [counted] = practice.run(
        platform, lambda adapter: adapter.metrics(token, account, [published.content_id, unknown])
    )
    assert counted == ContentMetrics(published.content_id, 0, 0, 0, 0)


def test_linkedin_shows_numbers_to_nobody(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.LINKEDIN)
    token, account = member.grant.access_token, member.profile.account_identifier
    urns = ["urn:li:share:1"]
    assert practice.run(member.platform, lambda adapter: adapter.metrics(token, account, urns)) == [
        ContentMetrics("urn:li:share:1", None, None, None, None)
    ]


def test_boards_come_page_by_page(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.PINTEREST)

    async def every(adapter: Adapter) -> list[Board]:
        assert isinstance(adapter, BoardAdapter)
        boards: list[Board] = []
        bookmark = None
        while True:
            page = await adapter.boards(member.grant.access_token, page_size=4, bookmark=bookmark)
            boards += page.boards
            if (bookmark := page.bookmark) is None:
                return boards

    boards = practice.run(member.platform, every)
    assert len({board.id for board in boards}) == len(boards) > 4
    assert all(board.name and board.privacy and board.pin_count is not None for board in boards)


def test_a_bookmark_of_nobody_is_refused(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.PINTEREST)

    async def boards(adapter: Adapter) -> object:
        assert isinstance(adapter, BoardAdapter)
        return await adapter.boards(member.grant.access_token, page_size=4, bookmark="nonsense")

    assert practice.fail(member.platform, boards).kind is FailureKind.INVALID


def test_nothing_goes_to_threads(practice: Practice) -> None:
    member = connect(practice, ConnectionPlatform.THREADS)
    error = practice.fail(member.platform, lambda adapter: adapter.publish(member.post("Hello")))
    assert error.kind is FailureKind.INVALID
    assert look(practice, member, member.post("Hello")).outcome is LookBackOutcome.ABSENT
