"""What a person reads when a day's quota is used up, as practice enforces it."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.platforms.adapters import Adapter
from app.platforms.base import FailureKind as K
from app.platforms.base import Publication, Published
from app.practice.store import Store
from app.service.publishing.advice import exhausted, explain, in_words
from tests.platforms.test_files_against_practice import board_of
from tests.platforms.world import APP, Member, Practice, connect, picture, program, published, video

P = PostingPlatform
OF_ACCOUNT: Final = "This account has used up what {name} allows for now. Schedule the post for a later time."
OF_APP: Final = (
    "The app that Kalends uses has used up its calls to {name} for today. Schedule the post for tomorrow."
)


@dataclass(frozen=True)
class Case:
    """A quota with its limit, and what comes of meeting it."""

    platform: PostingPlatform
    post_type: PostType
    quota: str
    limit: int
    kind: K
    code: str
    reads: str
    said: str
    per_app: bool = False

    def __str__(self) -> str:
        return self.quota


_THROTTLED: Final = "Resource level throttle {whose} DAY limit for calls to this resource is reached."
CASES: Final = [
    Case(
        P.LINKEDIN,
        PostType.TEXT,
        "linkedin member",
        150,
        K.RATE_LIMITED,
        "TOO_MANY_REQUESTS",
        OF_ACCOUNT.format(name="LinkedIn"),
        _THROTTLED.format(whose="MEMBER"),
    ),
    Case(
        P.LINKEDIN,
        PostType.TEXT,
        "linkedin app",
        100_000,
        K.RATE_LIMITED,
        "TOO_MANY_REQUESTS",
        OF_APP.format(name="LinkedIn"),
        _THROTTLED.format(whose="APPLICATION"),
        per_app=True,
    ),
    Case(
        P.TIKTOK,
        PostType.VIDEO,
        "tiktok posts",
        15,
        K.QUOTA,
        "spam_risk_too_many_posts",
        OF_ACCOUNT.format(name="TikTok"),
        "The daily post cap from the API is reached for the current user.",
    ),
    Case(
        P.PINTEREST,
        PostType.IMAGE,
        "pinterest trial",
        1000,
        K.RATE_LIMITED,
        "8",
        OF_ACCOUNT.format(name="Pinterest"),
        "You have exceeded your rate limit. Try again later.",
        per_app=True,
    ),
    Case(
        P.INSTAGRAM,
        PostType.IMAGE,
        "instagram posts",
        50,
        K.QUOTA,
        "9/2207042",
        OF_ACCOUNT.format(name="Instagram"),
        "You reached maximum number of posts that is allowed to be published by Content Publishing API.",
    ),
    Case(
        P.YOUTUBE,
        PostType.VIDEO,
        "youtube inserts",
        100,
        K.QUOTA,
        "quotaExceeded",
        OF_APP.format(name="YouTube"),
        "The request cannot be completed because you have exceeded your quota.",
        per_app=True,
    ),
    Case(
        P.X,
        PostType.TEXT,
        "x user",
        100,
        K.RATE_LIMITED,
        "Too Many Requests",
        OF_ACCOUNT.format(name="X"),
        "Too Many Requests",
    ),
    Case(
        P.X,
        PostType.TEXT,
        "x app",
        10_000,
        K.RATE_LIMITED,
        "Too Many Requests",
        OF_ACCOUNT.format(name="X"),
        "Too Many Requests",
        per_app=True,
    ),
]


@dataclass(frozen=True)
class Strict:
    """Practice that keeps to the quotas, and where it counts them."""

    practice: Practice
    data: Path

    def leave(self, case: Case, member: Member, left: int) -> None:
        """Has all of the quota used up but so many."""
        holder = APP.client_id if case.per_app else member.profile.account_identifier
        store = Store(self.data)
        with store.transaction() as db:
            db.execute("DELETE FROM spent")
            slot, used = int(time.time()) // 60, case.limit - left
            db.execute("INSERT INTO spent VALUES (?, ?, ?, ?)", (case.quota, holder, slot, used))
        store.close()


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strict]:
    data = tmp_path_factory.mktemp("strict")
    with (
        program(data, "--quotas", "on") as url,
        httpx.Client(base_url=url, trust_env=False, timeout=20) as http,
    ):
        yield Strict(Practice(url, http), data)


def post_of(practice: Practice, member: Member, case: Case, text: str) -> Publication:
    if case.post_type is PostType.TEXT:
        return member.post(text)
    file = picture() if case.post_type is PostType.IMAGE else video(300_000 + len(text))
    return member.with_file(text, file, title="A title", board_id=board_of(practice, member))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_quota_that_is_used_up_is_told_in_the_platforms_words(strict: Strict, case: Case) -> None:
    practice, platform = strict.practice, ConnectionPlatform(case.platform)
    member = connect(practice, platform)
    posts = [post_of(practice, member, case, text) for text in ("The last that is allowed", "One more")]

    async def publish(adapter: Adapter) -> Published:
        return await published(adapter, posts[0])

    strict.leave(case, member, 1)
    practice.run(platform, publish)
    error = practice.fail(platform, lambda adapter: adapter.publish(posts[1]))

    assert (error.kind, error.code) == (case.kind, case.code)
    why = (exhausted if error.kind is K.RATE_LIMITED else explain)(error, case.platform)
    assert why.advice == case.reads
    assert case.said in in_words(why, case.platform)
    entries = practice.ledger(member.profile.account_identifier)
    assert [entry["text"] for entry in entries] == [posts[0].text]


def test_waiting_for_more_takes_as_long_as_x_says(strict: Strict) -> None:
    case = next(case for case in CASES if case.quota == "x app")
    member = connect(strict.practice, ConnectionPlatform.X)
    strict.leave(case, member, 0)
    error = strict.practice.fail(
        ConnectionPlatform.X, lambda adapter: adapter.publish(member.post("One more"))
    )
    assert error.retry_after is not None
    assert 86_000 < error.retry_after <= 86_520
