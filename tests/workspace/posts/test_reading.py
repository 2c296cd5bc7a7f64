"""A post in full: where people see it, as far as the service tells."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from app.contract.companion import Attempt, AttemptOutcome
from app.contract.enums import PostingPlatform, PostStatus, PostType
from app.workspace.posts.planned import PlannedPost
from app.workspace.posts.reading import PostDetail

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
POST = PlannedPost(
    key="p",
    at=0,
    account_key="a",
    platform=PostingPlatform.X,
    post_type=PostType.TEXT,
    status=PostStatus.POSTED,
    headline="Text",
)
DETAIL = PostDetail(POST, "Text", None, "s", "", None, NOON, NOON, None)


def told(*addresses: str | None) -> PostDetail:
    attempts = tuple(
        Attempt(
            id=UUID(int=number),
            post_id=UUID(int=0),
            step="publish",
            outcome=AttemptOutcome.PUBLISHED if address else AttemptOutcome.TRANSIENT,
            started_at=NOON,
            finished_at=NOON,
            platform_code=None,
            platform_message=None,
            advice=None,
            content_url=address,
        )
        for number, address in enumerate(addresses)
    )
    return replace(DETAIL, attempts=attempts)


def test_the_page_is_that_of_the_attempt_that_published() -> None:
    assert told(None, "https://x.com/i/web/status/1").page == "https://x.com/i/web/status/1"
    assert told("http://127.0.0.1:4711/x/maya/status/1", None).page == "http://127.0.0.1:4711/x/maya/status/1"


@pytest.mark.parametrize("detail", [DETAIL, told(), told(None)])
def test_there_is_none_where_the_service_tells_of_none(detail: PostDetail) -> None:
    assert detail.page == ""


@pytest.mark.parametrize(
    "address",
    ["file:///etc/passwd", "javascript:alert(1)", "https:", "https:///x", "https://[", "https://x/\n", "x"],
)
def test_what_is_no_page_of_the_web_is_not_offered(address: str) -> None:
    assert told(address).page == ""
