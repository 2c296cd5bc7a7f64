"""Pictures and videos to every platform that takes them: the bytes arrive as they are."""

import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.adapters import Adapter, BoardAdapter
from app.platforms.base import (
    BoardPage,
    Chunks,
    FailureKind,
    LookBack,
    LookBackOutcome,
    Media,
    PlatformError,
    Publication,
    Published,
)
from tests.platforms.world import Member, Practice, connect, media, picture, published, video

P = ConnectionPlatform
_MIB = 1024 * 1024

TAKEN = [
    (P.LINKEDIN, picture()),
    (P.LINKEDIN, picture("PNG")),
    (P.LINKEDIN, video(9 * _MIB + 5)),
    (P.X, picture()),
    (P.X, picture("PNG")),
    (P.X, video()),
    (P.X, video(9 * _MIB + 5)),
    (P.PINTEREST, picture()),
    (P.PINTEREST, picture("PNG")),
    (P.PINTEREST, video(9 * _MIB + 5)),
    (P.INSTAGRAM, picture()),
    (P.INSTAGRAM, video(9 * _MIB + 5)),
    (P.YOUTUBE, video()),
    (P.YOUTUBE, video(17 * _MIB + 5)),
    (P.TIKTOK, video()),
    (P.TIKTOK, video(66 * _MIB + 5)),
    (P.FACEBOOK, picture()),
    (P.FACEBOOK, video(9 * _MIB + 5)),
    (P.FACEBOOK, video(width=1080, height=1920)),
]


def publish(practice: Practice, post: Publication, member: Member) -> str:
    async def work(adapter: Adapter) -> Published:
        await adapter.prepare(post)
        return await published(adapter, post)

    return str(practice.run(member.platform, work).content_id)


def board_of(practice: Practice, member: Member) -> str | None:
    """The board to publish to, where there are boards."""
    if member.platform is not P.PINTEREST:
        return None

    async def work(adapter: Adapter) -> BoardPage:
        assert isinstance(adapter, BoardAdapter)
        return await adapter.boards(member.grant.access_token, page_size=2, bookmark=None)

    return str(practice.run(member.platform, work).boards[1].id)


@pytest.mark.parametrize(("platform", "file"), TAKEN, ids=lambda value: getattr(value, "content_type", value))
def test_a_file_arrives_whole(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    board = board_of(practice, member)
    more = {"title": "A title", "link": "https://example.com/a?b=1", "board_id": board}
    post = member.with_file("Look at this", file, **more)
    content_id = publish(practice, post, member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert (entry["content_id"], entry["media_sha256"], entry["text"]) == (
        content_id,
        file.sha256,
        "Look at this",
    )
    titled = platform is P.PINTEREST or file.content_type == "video/mp4"
    assert entry["title"] == ("A title" if titled and platform not in {P.X, P.TIKTOK, P.INSTAGRAM} else None)
    assert entry["board_id"] == board
    assert entry["link"] == (post.link if platform is P.PINTEREST else None)


ONE_OF_EACH = [
    (P.X, picture()),
    (P.PINTEREST, picture()),
    (P.PINTEREST, video()),
    (P.INSTAGRAM, picture()),
    (P.INSTAGRAM, video()),
    (P.YOUTUBE, video()),
    (P.TIKTOK, video()),
    (P.FACEBOOK, picture()),
    (P.FACEBOOK, video()),
    (P.FACEBOOK, video(width=1080, height=1920)),
]
EACH = pytest.mark.parametrize(
    ("platform", "file"), ONE_OF_EACH, ids=lambda value: getattr(value, "content_type", value)
)


def prepare(practice: Practice, post: Publication, member: Member) -> None:
    practice.run(member.platform, lambda adapter: adapter.prepare(post))


def look(practice: Practice, post: Publication, member: Member) -> LookBack:
    since = datetime.now(UTC) - timedelta(minutes=1)
    seen: LookBack = practice.run(
        member.platform, lambda adapter: adapter.look_back(post, since=since, known=())
    )
    return seen


@EACH
def test_a_lost_answer_is_found(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    post = member.with_file("Lost (and found)", file, title="A title", board_id=board_of(practice, member))
    prepare(practice, post, member)
    # Pinterest and X show posts with their texts; the others tell files apart by what was noted of them.
    shows_texts = platform in {P.PINTEREST, P.X}
    unsent = LookBackOutcome.ABSENT if shows_texts else LookBackOutcome.UNSENT
    assert look(practice, post, member) == LookBack(unsent)
    assert practice.ledger(member.profile.account_identifier) == []
    assert practice.lose(platform, post).kind is FailureKind.AMBIGUOUS
    time.sleep(0.3)  # the platform works on the file
    [entry] = practice.ledger(member.profile.account_identifier)
    assert practice.shows(look(practice, post, member), post) == entry


# Pictures for Pinterest travel inside the publishing call.
@pytest.mark.parametrize(
    ("platform", "file"),
    [(platform, file) for platform, file in ONE_OF_EACH if (platform, file.width) != (P.PINTEREST, 640)],
    ids=lambda value: getattr(value, "content_type", value),
)
@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ("reject", {FailureKind.INVALID, FailureKind.PERMISSION}),
        ("error_500", {FailureKind.TRANSIENT}),
        ("rate_limit", {FailureKind.RATE_LIMITED}),
        ("expired_token", {FailureKind.AUTH_EXPIRED}),
        ("timeout_after_accept", {FailureKind.TRANSIENT}),
    ],
)
def test_trouble_before_the_publishing_call_is_never_ambiguous(
    practice: Practice, platform: P, file: Media, fault: str, kind: set[FailureKind]
) -> None:
    member = connect(practice, platform)
    post = member.with_file("Look", file, title="A title", board_id=board_of(practice, member))
    practice.order(platform, "upload", fault, account=member.profile.account_identifier)
    error = practice.fail(platform, lambda adapter: adapter.prepare(post), hasty=fault.startswith("timeout"))
    assert error.kind in kind
    assert error.message
    publish(practice, post, member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert entry["media_sha256"] == file.sha256


@pytest.mark.parametrize(
    ("platform", "file"),
    [*ONE_OF_EACH, (P.LINKEDIN, picture()), (P.LINKEDIN, video()), (P.TIKTOK, video(75 * _MIB))],
    ids=lambda value: getattr(value, "content_type", value),
)
def test_preparing_gets_there_however_many_answers_are_lost(
    practice: Practice, platform: P, file: Media
) -> None:
    member = connect(practice, platform)
    post = member.with_file("Stormy", file, title="A title", board_id=board_of(practice, member))
    try:
        practice.http.post("/weather", json={"seed": 5, "lost": 0.3, "error_500": 0.2}).raise_for_status()
        practice.run(platform, lambda adapter: _prepare_in_spite(adapter, post))
    finally:
        practice.http.post("/weather", json={}).raise_for_status()
    publish(practice, post, member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert entry["media_sha256"] == file.sha256


async def _prepare_in_spite(adapter: Adapter, post: Publication) -> None:
    """Prepares as often as it takes; every failure must be one that passes."""
    for _ in range(60):
        try:
            return await adapter.prepare(post)
        except PlatformError as error:
            if error.kind is not FailureKind.TRANSIENT:
                raise
    pytest.fail("It never got there.")


@pytest.mark.parametrize("platform", [P.LINKEDIN, P.X, P.YOUTUBE, P.FACEBOOK, P.TIKTOK], ids=str)
def test_an_upload_goes_on_where_it_was_interrupted(practice: Practice, platform: P) -> None:
    size = (90 if platform is P.TIKTOK else 25) * _MIB
    whole, opened = video(size), []

    @asynccontextmanager
    async def failing(first: int) -> AsyncIterator[Chunks]:
        opened.append(first)
        if first and len(opened) < 4:
            raise OSError("the disk was gone for a moment")
        async with whole.open(first) as chunks:
            yield chunks

    member = connect(practice, platform)
    post = member.with_file("Long", replace(whole, open=failing), title="A title")
    error = practice.fail(platform, lambda adapter: adapter.prepare(post))
    assert error.kind is FailureKind.TRANSIENT
    practice.fail(platform, lambda adapter: adapter.prepare(post))
    publish(practice, post, member)
    [entry] = practice.ledger(member.profile.account_identifier)
    assert entry["media_sha256"] == whole.sha256
    assert opened.count(0) == 1


@pytest.mark.parametrize(
    "platform", [P.LINKEDIN, P.X, P.INSTAGRAM, P.TIKTOK, P.FACEBOOK, P.PINTEREST], ids=str
)
def test_what_is_no_video_is_refused(practice: Practice, platform: P) -> None:
    member = connect(practice, platform)
    file = media(b"this is no video at all" * 10_000, "video/mp4")
    post = member.with_file("Look", file, title="A title", board_id=board_of(practice, member))

    async def work(adapter: Adapter) -> Published:
        await adapter.prepare(post)
        return await published(adapter, post)

    error = practice.fail(platform, work)
    assert error.kind is FailureKind.INVALID
    assert practice.ledger(member.profile.account_identifier) == []


@EACH
def test_numbers_of_what_was_published(practice: Practice, platform: P, file: Media) -> None:
    member = connect(practice, platform)
    post = member.with_file("Count", file, title="A title", board_id=board_of(practice, member))
    content_id, token = publish(practice, post, member), member.grant.access_token
    unknown = content_id[:-1] + ("1" if content_id[-1] == "0" else "0")
    account = member.profile.account_identifier
    [counted] = practice.run(platform, lambda adapter: adapter.metrics(token, account, [content_id, unknown]))
    assert counted.content_id == content_id
    assert (counted.views, counted.likes, counted.comments) == (0, 0, 0)


def test_a_picture_that_is_described_anew_gets_another_container(practice: Practice) -> None:
    """Prepared ahead of time, it would else go out with the former words."""
    member = connect(practice, P.INSTAGRAM)
    post = member.with_file("Look", picture(alt_text="A cat"))
    prepare(practice, post, member)
    assert post.media is not None
    changed = replace(post, media=replace(post.media, alt_text="A dog"), steps=post.steps)

    async def containers(adapter: Adapter) -> tuple[str | None, str | None]:
        before = await post.steps.get("container")
        await adapter.prepare(changed)
        return before, await post.steps.get("container")

    before, after = practice.run(P.INSTAGRAM, containers)
    assert json.loads(before)["id"] != json.loads(after)["id"]
    assert json.loads(after)["alt_text"] == "A dog"
