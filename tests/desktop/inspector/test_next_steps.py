from datetime import UTC, datetime

import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostStatus, PostType
from app.desktop.inspector.next_steps import NextSteps, page_of
from app.workspace.accounts.account import Account
from app.workspace.posts.planned import PlannedPost
from tests.desktop.browsing import Browser


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


def test_a_post_that_may_be_live_is_looked_for_before_it_is_written_again(browser: Browser) -> None:
    steps = NextSteps()
    steps.show_for(failed(may_be_live=True), account(), readable=True)
    assert steps.look_button.text() == "Open X"
    assert (steps.look_button.kind(), steps.write_button.kind()) == ("primary", "secondary")
    steps.look_button.click()
    assert browser.opened == ["https://x.com/maya"]
    steps.deleteLater()


@pytest.mark.parametrize(("practice", "words"), [(False, "Open on X"), (True, "Open on practice X")])
def test_what_is_out_is_opened_in_the_browser(browser: Browser, words: str, *, practice: bool) -> None:
    steps = NextSteps()
    post = failed(may_be_live=False)._replace(status=PostStatus.POSTED)
    page = "https://x.com/maya/status/17?a=%2F#b"
    steps.show_for(post, account(practice=practice), readable=True, page=page)
    assert (steps.look_button.text(), steps.look_button.kind()) == (words, "secondary")
    assert steps.connect_button.isHidden()
    assert steps.write_button.isHidden()
    steps.look_button.click()
    assert browser.opened == [page]
    steps.deleteLater()


@pytest.mark.usefixtures("qapp")
def test_nothing_is_offered_that_does_not_help() -> None:
    steps = NextSteps()
    steps.show_for(failed(may_be_live=False), None, readable=True)
    assert steps.look_button.isHidden()
    assert steps.connect_button.isHidden()
    assert steps.write_button.kind() == "primary"
    steps.show_for(failed(may_be_live=True), account(practice=True), readable=False)
    assert steps.isHidden()
    steps.show_for(failed(may_be_live=False)._replace(status=PostStatus.SCHEDULED), account(), readable=True)
    assert steps.isHidden()
    steps.deleteLater()
