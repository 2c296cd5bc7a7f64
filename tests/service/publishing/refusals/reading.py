"""A platform's documented answer, and what a person reads of it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import httpx

from app.contract.enums import ConnectionPlatform, PostingPlatform, PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.platforms.adapters import Adapter
from app.platforms.base import FailureKind, Media, MemorySteps, PlatformError, Publication
from app.platforms.cards import name_of
from app.service.publishing.advice import explain, in_words
from tests.platforms.scripted import TOKEN, Script, json_answer
from tests.platforms.world import APP, picture, video

AGAIN: Final = {FailureKind.RATE_LIMITED, FailureKind.TRANSIENT}
"""What is tried again by itself."""


@dataclass(frozen=True)
class Told:
    """One line of a platform's table of errors.

    Attributes:
        what: Its name, for the report.
        answer: Status and JSON body; text in place of a body where that is none.
        code: The platform's own code as it is kept.
        reads: How the sentence begins that the person reads.
        said: The platform's own words as they are kept; None: those of ours.
        headers: Of the answer; underscores are hyphens.
        wait: Seconds that the platform asks to wait.
    """

    what: str
    answer: tuple[int, Any]
    kind: FailureKind
    code: str
    reads: str
    said: str | None = "Words."
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float | None = None

    def __str__(self) -> str:
        return self.what

    @property
    def response(self) -> httpx.Response:
        status, body = self.answer
        if isinstance(body, str):
            return httpx.Response(status, text=body)
        return json_answer(status, body, **self.headers)


def publication(platform: PostingPlatform, account: str, kind: PostType) -> Publication:
    """A post that is good, of a person whose token is good as far as anybody knows."""
    files: dict[PostType, Media] = {PostType.IMAGE: picture(), PostType.VIDEO: video(100_000)}
    return Publication(
        account_identifier=account,
        username="robin",
        access_token=TOKEN,
        post_type=kind,
        title="A title" if platform is PostingPlatform.YOUTUBE else None,
        text="Hello",
        media=files.get(kind),
        board_id="1",
        tiktok=TikTokChoice(privacy=TikTokPrivacy.ONLY_ME),
    )


def again(steps: Sequence[httpx.Response]) -> list[httpx.Response]:
    """The same answers once more, since one can be given only once."""
    return [httpx.Response(one.status_code, headers=one.headers, content=one.content) for one in steps]


def check(
    platform: PostingPlatform,
    told: Told,
    post: Publication,
    before: Sequence[httpx.Response] = (),
    after: Sequence[httpx.Response] = (),
) -> None:
    """Publishes up to the call that is refused, then gives ``after``, and compares what comes of it."""

    def work(adapter: Adapter) -> Awaitable[Any]:
        return adapter.publish(replace(post, steps=MemorySteps()))

    check_work(platform, told, work, before, after)


def check_renewal(platform: PostingPlatform, told: Told) -> None:
    """Asks for new tokens, which is refused, and compares what comes of it."""
    check_work(platform, told, lambda adapter: adapter.refresh(APP, "refresh-1"))


def check_work(
    platform: PostingPlatform,
    told: Told,
    work: Callable[[Adapter], Awaitable[Any]],
    before: Sequence[httpx.Response] = (),
    after: Sequence[httpx.Response] = (),
) -> None:
    error = Script(*again(before), told.response, *again(after)).fail(ConnectionPlatform(platform), work)
    assert (error.kind, error.code) == (told.kind, told.code), error
    assert error.retry_after == told.wait
    if told.said is not None:
        assert error.message == told.said
    assert_plain(error, platform, told.reads)


def assert_plain(error: PlatformError, platform: PostingPlatform, reads: str) -> None:
    """What happened, what to do, and what the platform said, in this order and in plain words."""
    why = explain(error, platform)
    told = in_words(why, platform)
    name = name_of(platform)
    assert told.startswith(reads), told
    assert told.startswith(why.advice), told
    assert told.endswith(error.message)
    assert name in why.advice
    assert "!" not in why.advice
    assert "{" not in why.advice
    assert why.advice.count(". ") >= 1, "says what happened and what to do"
    if error.kind in AGAIN:
        assert why.advice.endswith("retried automatically.")
    elif error.kind is not FailureKind.AMBIGUOUS:
        assert "automatically" not in why.advice
