"""A look-back whose answer lacks a field proves nothing: every field of every answer is dropped in turn."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from app.contract.enums import ConnectionPlatform as P
from app.platforms.base import (
    FailureKind,
    LookBack,
    LookBackOutcome,
    Media,
    PlatformError,
    Publication,
)
from app.platforms.wire import Network, Reply, Request, Timeouts
from tests.platforms.specs.errands import ADMITTED
from tests.platforms.test_files_against_practice import board_of
from tests.platforms.world import Member, Practice, connect, picture, video

Field = tuple[str | int, ...]
"""Where a field is in a JSON document; a number is a place in a list, ``*`` every place."""

TIMEOUTS = Timeouts(connect=10, read=20, total=30, first_look=0.1, last_look=20)
LINKED = "See https://example.com/a?b=1 and example.org for more"


@dataclass
class Tampered:
    """The network, on which answers lose a field and questions lose parameters."""

    missing: Field = ()
    unasked: tuple[str, ...] = ()
    answers: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._network = Network(TIMEOUTS)

    async def exchange(self, request: Request) -> Reply:
        parts = urlsplit(request.url)
        kept = [(name, value) for name, value in parse_qsl(parts.query) if name not in self.unasked]
        reply = await self._network.exchange(
            replace(request, url=parts._replace(query=urlencode(kept)).geturl())
        )
        try:
            answer = json.loads(reply.body)
        except ValueError:
            return reply
        self.answers.append(answer)
        return replace(reply, body=json.dumps(without(answer, self.missing)).encode())

    async def aclose(self) -> None:
        await self._network.aclose()


def without(document: Any, missing: Field) -> Any:
    """The document less a field, where it has that."""
    if not missing:
        return document
    first, *rest = missing
    if isinstance(document, list):
        return [
            without(one, tuple(rest)) if first in {"*", place} else one for place, one in enumerate(document)
        ]
    if not isinstance(document, dict) or first not in document:
        return document
    if rest:
        return {**document, first: without(document[first], tuple(rest))}
    return {name: value for name, value in document.items() if name != first}


def fields_of(document: Any) -> Iterator[Field]:
    """Every field of a document, in one entry of its lists and in all of them."""
    if isinstance(document, dict):
        for name, value in document.items():
            yield (name,)
            yield from ((name, *more) for more in fields_of(value))
    if isinstance(document, list):
        for place, value in enumerate(document):
            for more in fields_of(value):
                yield place, *more
                yield "*", *more


def look(practice: Practice, platform: P, post: Publication, wire: Tampered) -> LookBack | PlatformError:
    since = datetime.now(UTC) - timedelta(minutes=1)
    tampered = replace(practice, wire=lambda: wire)
    try:
        seen: LookBack = tampered.run(
            platform, lambda adapter: adapter.look_back(post, since=since, known=())
        )
    except PlatformError as error:
        return error
    return seen


def lost(practice: Practice, member: Member, post: Publication) -> str:
    """Publishes without an answer; gives the id of the item that is there."""
    before = {entry["content_id"] for entry in practice.ledger(post.account_identifier)}
    assert practice.lose(member.platform, post).kind is FailureKind.AMBIGUOUS
    end = datetime.now(UTC) + timedelta(seconds=30)
    while True:
        seen = look(practice, member.platform, post, Tampered())
        if isinstance(seen, LookBack) and seen.item is not None:
            assert seen.outcome is LookBackOutcome.FOUND
            assert seen.item.content_id not in before
            return seen.item.content_id
        assert datetime.now(UTC) < end, f"it is not found: {seen}"


def is_safe(seen: LookBack | PlatformError, others: set[str]) -> bool:
    """Whether nothing follows that would publish again, or take another's item for this post's."""
    if isinstance(seen, PlatformError):
        return True
    if seen.outcome is LookBackOutcome.FOUND:
        return seen.item is not None and seen.item.content_id not in others
    return seen.outcome is LookBackOutcome.UNKNOWABLE


KINDS: list[tuple[P, Media | None, str]] = [
    (P.LINKEDIN, None, LINKED),
    (P.LINKEDIN, picture(), "Look"),
    (P.X, None, LINKED),
    (P.X, None, "No link"),
    (P.X, picture(), LINKED),
    (P.X, picture(), "Look"),
    (P.X, video(), "Look"),
    (P.FACEBOOK, None, LINKED),
    (P.FACEBOOK, picture(), "Look"),
    (P.FACEBOOK, video(), "Look"),
    (P.FACEBOOK, video(width=1080, height=1920), "Look"),
    (P.INSTAGRAM, picture(), "Look"),
    (P.INSTAGRAM, video(), "Look"),
    (P.PINTEREST, picture(), "Look"),
    (P.PINTEREST, video(), "Look"),
    (P.TIKTOK, video(), "Look"),
    (P.YOUTUBE, video(), "Look"),
]


def name_of(value: object) -> str | None:
    return value.content_type if isinstance(value, Media) else None


def member_of(practice: Practice, platform: P) -> Member:
    """Somebody whose posts can be listed, where anybody's can: on LinkedIn an organization."""
    if platform is not P.LINKEDIN:
        return connect(practice, platform)
    member = connect(practice, platform, app=ADMITTED)
    return replace(member, profile=member.others[0])


@pytest.mark.parametrize(("platform", "file", "text"), KINDS, ids=name_of)
def test_no_missing_field_proves_absence(
    practice: Practice, platform: P, file: Media | None, text: str
) -> None:
    member = member_of(practice, platform)
    more: dict[str, Any] = {"title": "A title", "board_id": board_of(practice, member)}

    def post_of(words: str) -> Publication:
        return member.with_file(words, file, **more) if file else member.post(words)

    # Another one, so that a field may be missing from the right post alone.
    other = post_of("Something else, at https://example.com/b")
    practice.run(platform, lambda adapter: adapter.publish(other))
    others = {entry["content_id"] for entry in practice.ledger(member.profile.account_identifier)}
    post = post_of(text)
    content_id = lost(practice, member, post)
    whole = Tampered()
    seen = look(practice, platform, post, whole)
    assert isinstance(seen, LookBack)
    assert seen.item is not None
    assert seen.item.content_id == content_id
    fields = sorted({one for answer in whole.answers for one in fields_of(answer)}, key=str)
    assert fields

    unsafe = [
        (".".join(map(str, one)), seen)
        for one in fields
        if not is_safe(seen := look(practice, platform, post, Tampered(one)), others)
    ]

    assert unsafe == []


ALIKE: list[tuple[P, Media | None, Media | None]] = [
    (platform, mine, theirs)
    for platform in (P.FACEBOOK, P.LINKEDIN, P.X)
    for mine, theirs in ((None, picture()), (picture(), None), (None, video()))
]


@pytest.mark.parametrize(("platform", "mine", "theirs"), ALIKE, ids=name_of)
def test_a_missing_field_takes_no_post_with_another_file_for_this_one(
    practice: Practice, platform: P, mine: Media | None, theirs: Media | None
) -> None:
    member = member_of(practice, platform)

    def post_of(file: Media | None) -> Publication:
        return member.with_file("Look", file) if file else member.post("Look")

    other = post_of(theirs)
    practice.run(platform, lambda adapter: adapter.publish(other))
    others = {entry["content_id"] for entry in practice.ledger(member.profile.account_identifier)}
    post = post_of(mine)
    content_id = lost(practice, member, post)
    whole = Tampered()
    seen = look(practice, platform, post, whole)
    assert isinstance(seen, LookBack)
    assert seen.item is not None
    assert seen.item.content_id == content_id

    unsafe = [
        (".".join(map(str, one)), seen)
        for one in sorted({one for answer in whole.answers for one in fields_of(answer)}, key=str)
        # LinkedIn leaves this out of a text, so that one that was dropped cannot be told from one.
        if (platform, mine, one[-1]) != (P.LINKEDIN, None, "content")
        and not is_safe(seen := look(practice, platform, post, Tampered(one)), others)
    ]

    assert unsafe == []


@pytest.mark.parametrize("file", [None, picture(), video()], ids=name_of)
def test_x_is_understood_in_both_of_its_dialects(practice: Practice, file: Media | None) -> None:
    member = connect(practice, P.X)
    post = member.with_file(LINKED, file) if file else member.post(LINKED)
    content_id = lost(practice, member, post)

    for unasked in ("post.fields",), ("tweet.fields",):
        seen = look(practice, P.X, post, Tampered(unasked=unasked))
        assert isinstance(seen, LookBack)
        assert seen.item is not None
        assert seen.item.content_id == content_id


def test_x_is_asked_about_a_video_no_sooner_than_it_says(practice: Practice) -> None:
    member = connect(practice, P.X)
    post, wire = member.with_file("Wait", video()), Tampered()
    replace(practice, wire=lambda: wire).run(P.X, lambda adapter: adapter.prepare(post))
    states = [
        answer["data"]["processing_info"]["state"]
        for answer in wire.answers
        if "processing_info" in answer.get("data", {})
    ]
    # X says a second, in which it is done.
    assert states == ["in_progress", "succeeded"]


def test_x_that_knows_neither_name_of_the_fields_proves_nothing(practice: Practice) -> None:
    member = connect(practice, P.X)
    post = member.post(LINKED)
    lost(practice, member, post)

    seen = look(practice, P.X, post, Tampered(unasked=("post.fields", "tweet.fields")))

    assert seen == LookBack(LookBackOutcome.UNKNOWABLE)
