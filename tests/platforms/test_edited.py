"""A post whose author edited it before its outcome was known is never proven absent."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.platforms.base import FailureKind, LookBack, LookBackOutcome, MemorySteps, Publication
from tests.platforms.scripted import NOW, Script, json_answer, publication
from tests.platforms.test_missing_fields import member_of
from tests.platforms.world import Practice

ORGANIZATION = "urn:li:organization:5"
ABSENT = LookBack(LookBackOutcome.ABSENT)
UNKNOWABLE = LookBack(LookBackOutcome.UNKNOWABLE)
MS = int(NOW.timestamp()) * 1000


def x(text: str, *versions: str, **more: object) -> httpx.Response:
    post = {
        "id": "2",
        "text": text,
        "created_at": "2026-11-21T12:00:00.000Z",
        "edit_history_tweet_ids": [*versions, "2"],
        **more,
    }
    return json_answer(200, {"data": [post], "meta": {"result_count": 1}})


def linkedin(text: str, **more: object) -> httpx.Response:
    post = {"id": "urn:li:share:1", "commentary": text, "createdAt": MS, **more}
    return json_answer(200, {"elements": [post]})


def facebook(text: str, updated: str, **more: object) -> httpx.Response:
    times = {"created_time": "2026-11-21T12:00:00+0000", "updated_time": f"2026-11-21T12:{updated}+0000"}
    post = {"id": "5_9", "message": text, "status_type": "mobile_status_update", **times, **more}
    return json_answer(200, {"data": [post]})


def state(*, is_edited: bool) -> dict[str, bool]:
    return {"isEditedByAuthor": is_edited}


def look(platform: P, post: Publication, answer: httpx.Response, *known: str) -> LookBack:
    since = NOW - timedelta(minutes=1)
    seen: LookBack = Script(answer).run(
        platform, lambda adapter: adapter.look_back(post, since=since, known=known)
    )
    return seen


Answer = Callable[[str], httpx.Response]
CASES: list[tuple[P, str, Answer, Answer]] = [
    (P.X, "7", x, lambda text: x(text, "1")),
    (
        P.LINKEDIN,
        ORGANIZATION,
        lambda text: linkedin(text, lastModifiedAt=MS + 60_000, lifecycleStateInfo=state(is_edited=False)),
        lambda text: linkedin(text, lifecycleStateInfo=state(is_edited=True)),
    ),
    (
        P.LINKEDIN,
        ORGANIZATION,
        lambda text: linkedin(text, lastModifiedAt=MS + 900),
        lambda text: linkedin(text, lastModifiedAt=MS + 60_000),
    ),
    (P.FACEBOOK, "5", lambda text: facebook(text, "00:01"), lambda text: facebook(text, "03:00")),
]


@pytest.mark.parametrize(("platform", "account", "untouched", "edited"), CASES)
def test_only_an_unedited_post_is_ruled_out_by_its_text(
    platform: P, account: str, untouched: Answer, edited: Answer
) -> None:
    post = publication(account)
    assert look(platform, post, untouched("Something else")) == ABSENT
    assert look(platform, post, edited("Good morning, all")) == UNKNOWABLE
    found = look(platform, post, edited("Good morning"))
    assert found.outcome is LookBackOutcome.FOUND


def test_on_x_an_edited_post_belongs_to_the_post_of_any_of_its_versions() -> None:
    assert look(P.X, publication("7"), x("Good morning", "1"), "1") == ABSENT


def test_on_linkedin_the_file_tells_whose_post_an_edited_one_is() -> None:
    steps = MemorySteps()
    asyncio.run(steps.put("file", f'{{"urn": "urn:li:image:A", "at": "{NOW.isoformat()}", "settled": true}}'))
    post = replace(publication(ORGANIZATION), post_type=PostType.IMAGE, steps=steps)

    def showing(urn: str) -> httpx.Response:
        edited = state(is_edited=True)
        return linkedin("Edited", lifecycleStateInfo=edited, content={"media": {"id": urn}})

    assert look(P.LINKEDIN, post, showing("urn:li:image:A")).outcome is LookBackOutcome.FOUND
    assert look(P.LINKEDIN, post, showing("urn:li:digitalmediaAsset:A")).outcome is LookBackOutcome.FOUND
    assert look(P.LINKEDIN, post, showing("urn:li:digitalmediaAsset:B")) == UNKNOWABLE
    assert look(P.LINKEDIN, post, showing("urn:li:image:B")) == LookBack(LookBackOutcome.UNSENT)


@pytest.mark.parametrize("platform", [P.X, P.LINKEDIN])
def test_a_lost_post_that_its_author_corrected(practice: Practice, platform: P) -> None:
    post = member_of(practice, platform).post("Good mroning")
    assert practice.lose(platform, post).kind is FailureKind.AMBIGUOUS
    [entry] = [one for one in practice.ledger(post.account_identifier) if one["text"] == post.text]

    def outcome(**known: Any) -> LookBackOutcome:
        since = datetime.now(UTC) - timedelta(minutes=1)
        seen = practice.run(
            platform, lambda adapter: adapter.look_back(post, since=since, **{"known": (), **known})
        )
        assert isinstance(seen, LookBack)
        return seen.outcome

    assert outcome() is LookBackOutcome.FOUND
    practice.edit(platform, entry["content_id"], text="Good morning")
    assert outcome() is LookBackOutcome.UNKNOWABLE
    assert outcome(known=(entry["content_id"],)) is LookBackOutcome.ABSENT
