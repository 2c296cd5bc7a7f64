from datetime import UTC, datetime
from uuid import uuid4

import pytest

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.desktop.inspector.causes import headline
from app.desktop.inspector.facts import countdown
from app.desktop.inspector.outcome import Outcome, page_of
from app.platforms.advice import CAUSES, KINDS
from app.platforms.base import Cause, FailureKind
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost
from tests.desktop.browsing import Browser
from tests.desktop.running import LISBON


def account(platform: str = "x", handle: str | None = "maya", *, practice: bool = False) -> Account:
    return Account(
        key="a",
        platform=ConnectionPlatform(platform),
        name="Maya",
        handle=handle,
        identifier="1",
        avatar_url=None,
        followers=None,
        is_verified=None,
        is_available=True,
        token_expires_at=None,
        connected_at=datetime(2026, 1, 1, tzinfo=UTC),
        color_index=0,
        practice=practice,
    )


def failed(*, may_be_live: bool) -> PlannedPost:
    return PlannedPost(
        key="p",
        at=0,
        account_key="a",
        platform=PostingPlatform.X,
        post_type=PostType.TEXT,
        status=PostStatus.FAILED,
        headline="Text",
        may_be_live=may_be_live,
    )


@pytest.mark.parametrize(
    ("where", "page"),
    [
        (account(), "https://x.com/maya"),
        (account(handle="@maya"), "https://x.com/maya"),
        (account(handle="../i/settings?a=b#c"), "https://x.com/..%2Fi%2Fsettings%3Fa%3Db%23c"),
        (account(handle=None), "https://x.com/home"),
        (account("linkedin"), "https://www.linkedin.com/in/me/recent-activity/all/"),
        (account("pinterest"), ""),
        (account(practice=True), ""),
    ],
)
def test_the_page_is_one_of_the_platform_whatever_the_handle(where: Account, page: str) -> None:
    assert page_of(where) == page


def test_a_post_that_may_be_live_is_looked_for_first(browser: Browser) -> None:
    outcome = Outcome(LISBON)
    outcome.show_for(failed(may_be_live=True), account(), (), readable=True)
    assert outcome.look_button.text() == "Check on X"
    assert (outcome.look_button.kind(), outcome.there_button.kind()) == ("primary", "secondary")
    outcome.look_button.click()
    assert browser.opened == ["https://x.com/maya"]
    found: list[bool] = []
    outcome.found.connect(found.append)
    outcome.there_button.click()
    outcome.absent_button.click()
    assert found == [True, False]
    assert outcome.write_button.isHidden()
    assert "choose what you found" in outcome.advice.text()
    outcome.show_for(failed(may_be_live=True), account(), (), readable=True, can_report=False)
    assert outcome.there_button.isHidden()
    assert "choose" not in outcome.advice.text()
    assert outcome.absent_button.text() == "Post again"
    outcome.deleteLater()


@pytest.mark.usefixtures("qapp")
def test_only_what_helps_is_offered() -> None:
    outcome = Outcome(LISBON)
    outcome.show_for(failed(may_be_live=False), None, (), readable=True)
    assert outcome.look_button.isHidden()
    assert outcome.connect_button.isHidden()
    assert outcome.write_button.kind() == "primary"
    outcome.show_for(failed(may_be_live=True), account(practice=True), (), readable=False)
    assert outcome.look_button.isHidden()
    assert outcome.absent_button.isHidden()
    assert not outcome.there_button.isHidden()
    outcome.show_for(
        failed(may_be_live=False)._replace(status=PostStatus.SCHEDULED), account(), (), readable=True
    )
    assert outcome.isHidden()
    outcome.deleteLater()


@pytest.mark.parametrize(
    ("code", "message", "said"),
    [
        ("190/463", "Session has expired.", "X ended access to this account."),
        ("made_up", "No.", "X refused this post."),
        (None, None, "This post wasn't published."),
    ],
)
def test_the_cause_is_said_by_the_platforms_code(code: str | None, message: str | None, said: str) -> None:
    attempt = Attempt(
        id=uuid4(),
        post_id=uuid4(),
        step="publish",
        outcome=AttemptOutcome.REFUSED,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        finished_at=None,
        platform_code=code,
        platform_message=message,
        advice=None,
    )
    assert headline(attempt, "X") == said


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("code", ["http_403", "368", "352"])
def test_the_advice_does_not_repeat_the_headline(code: str) -> None:
    causes = {
        "http_403": KINDS[FailureKind.PERMISSION],
        "368": CAUSES[Cause.RESTRICTED],
        "352": CAUSES[Cause.FILE],
    }
    advice = causes[code].format(platform="X")
    attempt = Attempt(
        id=uuid4(),
        post_id=uuid4(),
        step="publish",
        outcome=AttemptOutcome.REFUSED,
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
        finished_at=None,
        platform_code=code,
        platform_message="No.",
        advice=advice,
    )
    outcome = Outcome(LISBON)
    outcome.show_for(failed(may_be_live=False), account(), (attempt,), readable=True)
    assert f"{outcome.headline.text()} {outcome.advice.text()}" == advice
    outcome.deleteLater()


MINUTE = 60_000
HOUR, DAY = 60 * MINUTE, 24 * 60 * MINUTE


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (3 * DAY + 20 * HOUR, "in 3 days 20 h"),
        (DAY + HOUR, "in 1 day 1 h"),
        (9 * DAY + HOUR, "in 9 days"),
        (5 * HOUR + 10 * MINUTE, "in 5 h 10 min"),
        (2 * MINUTE, "in 2 min"),
        (MINUTE // 2, "now"),
        (-3 * MINUTE, "3 min ago"),
        (-3 * HOUR, "3 h ago"),
        (-DAY, "1 day ago"),
    ],
)
def test_the_countdown_uses_two_units_at_most(left: int, said: str) -> None:
    assert countdown(1_000 * DAY + left, 1_000 * DAY) == said
