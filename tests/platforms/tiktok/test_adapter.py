"""TikTok gets what the creator chose, and nothing that it would refuse."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import httpx
import pytest

from app.contract.enums import ConnectionPlatform as P
from app.contract.enums import PostType
from app.contract.tiktok import TikTokChoice, TikTokPrivacy
from app.platforms.adapters import Adapter, CreatorAdapter
from app.platforms.base import Cause, FailureKind, LookBack, LookBackOutcome, MemorySteps, Publication
from tests.platforms.scripted import NOW, TOKEN, Script, json_answer, publication
from tests.platforms.world import picture, video

OK = {"error": {"code": "ok", "message": ""}}
UNDECIDED = "Choose who can see it on TikTok, in the composer or for the account."


def creator(*levels: str, **more: object) -> httpx.Response:
    """The answer of TikTok to the question what a creator may do."""
    return json_answer(200, {"data": {"privacy_level_options": list(levels), **more}, **OK})


def announced(number: int = 1) -> httpx.Response:
    target = {"publish_id": f"v.{number}", "upload_url": "https://open.tiktokapis.com/up"}
    return json_answer(200, {"data": target, **OK})


async def _anywhere() -> str:
    return "https://files.example/one"


def post(choice: TikTokChoice | None, kind: PostType = PostType.VIDEO, **more: Any) -> Publication:
    media = video(100_000, **more) if kind is PostType.VIDEO else picture(address=_anywhere)
    return replace(publication("17", post_type=kind), media=media, tiktok=choice)


def sent(script: Script) -> list[dict[str, Any]]:
    """What TikTok was told of posts."""
    bodies = [json.loads(one.content) for one in script.requests if one.url.path.endswith("/init/")]
    return [body["post_info"] for body in bodies]


@pytest.mark.parametrize("kind", [PostType.VIDEO, PostType.IMAGE])
def test_without_a_choice_nothing_is_sent(kind: PostType) -> None:
    script = Script()
    for work in (lambda one: one.prepare(post(None, kind)), lambda one: one.publish(post(None, kind))):
        error = script.fail(P.TIKTOK, work)
        assert (error.kind, error.code, error.message) == (FailureKind.INVALID, "no_choice", UNDECIDED)
        assert error.cause is Cause.UNDECIDED
    assert script.requests == []


def test_a_video_is_announced_with_what_was_chosen() -> None:
    choice = TikTokChoice(
        privacy=TikTokPrivacy.FRIENDS,
        allow_comments=True,
        allow_stitch=True,
        branded_content=True,
        ai_generated=True,
    )
    script = Script(creator("PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"), announced())
    script.run(P.TIKTOK, lambda one: one.prepare(post(choice)))
    assert sent(script) == [
        {
            "title": "Good morning",
            "privacy_level": "MUTUAL_FOLLOW_FRIENDS",
            "disable_comment": False,
            "disable_duet": True,
            "disable_stitch": False,
            "brand_content_toggle": True,
            "brand_organic_toggle": False,
            "is_aigc": True,
        }
    ]


def test_what_the_creator_has_switched_off_stays_off() -> None:
    choice = TikTokChoice(
        privacy=TikTokPrivacy.ONLY_ME, allow_comments=True, allow_duet=True, allow_stitch=True
    )
    off = {"comment_disabled": True, "duet_disabled": True, "stitch_disabled": True}
    script = Script(creator("SELF_ONLY", **off), announced())
    script.run(P.TIKTOK, lambda one: one.prepare(post(choice)))
    assert [sent(script)[0][f"disable_{name}"] for name in ("comment", "duet", "stitch")] == [True] * 3


def test_a_photo_has_no_duets_and_no_label_of_artificial_intelligence() -> None:
    choice = TikTokChoice(privacy=TikTokPrivacy.ONLY_ME, your_brand=True, allow_duet=True, ai_generated=True)
    done = {"status": "PUBLISH_COMPLETE", "publicaly_available_post_id": []}
    steps = creator("SELF_ONLY"), announced(), json_answer(200, {"data": done, **OK})
    script = Script(*steps)
    script.run(P.TIKTOK, lambda one: one.publish(post(choice, PostType.IMAGE)))
    assert sent(script) == [
        {
            "privacy_level": "SELF_ONLY",
            "disable_comment": True,
            "brand_content_toggle": False,
            "brand_organic_toggle": True,
            "description": "Good morning",
        }
    ]


@pytest.mark.parametrize("kind", [PostType.VIDEO, PostType.IMAGE])
@pytest.mark.parametrize(
    ("choice", "code", "cause"),
    [
        (TikTokChoice(privacy=TikTokPrivacy.EVERYONE), "not_offered", Cause.PRIVACY),
        (
            TikTokChoice(privacy=TikTokPrivacy.ONLY_ME, branded_content=True),
            "branded_private",
            Cause.PRIVACY,
        ),
    ],
)
def test_what_tiktok_would_refuse_is_not_announced(
    choice: TikTokChoice, code: str, cause: Cause, kind: PostType
) -> None:
    script = Script(creator("FOLLOWER_OF_CREATOR", "SELF_ONLY"))
    error = script.fail(P.TIKTOK, lambda one: one.prepare(post(choice, kind)))
    assert (error.kind, error.code, error.cause) == (FailureKind.INVALID, code, cause)
    assert sent(script) == []


def test_a_video_that_is_too_long_for_the_account_is_not_announced() -> None:
    script = Script(creator("SELF_ONLY", max_video_post_duration_sec=60))
    too_long = post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME), duration_ms=60_001)
    error = script.fail(P.TIKTOK, lambda one: one.prepare(too_long))
    assert (error.code, error.cause) == ("too_long", Cause.FILE_LENGTH)
    assert error.message == "TikTok lets this account post videos of up to 60 seconds."


def test_another_choice_is_another_announcement() -> None:
    steps, levels = MemorySteps(), ("PUBLIC_TO_EVERYONE", "SELF_ONLY")
    script = Script(creator(*levels), announced(), creator(*levels), announced(2))

    async def prepare(adapter: Adapter) -> None:
        for privacy in (TikTokPrivacy.ONLY_ME, TikTokPrivacy.ONLY_ME, TikTokPrivacy.EVERYONE):
            chosen = post(TikTokChoice(privacy=privacy))
            await adapter.prepare(replace(chosen, steps=steps))

    script.run(P.TIKTOK, prepare)
    assert [info["privacy_level"] for info in sent(script)] == ["SELF_ONLY", "PUBLIC_TO_EVERYONE"]


def stands(status: str, **more: object) -> httpx.Response:
    """The answer of TikTok to the question how far a video is."""
    return json_answer(200, {"data": {"status": status, **more}, **OK})


@pytest.mark.parametrize("refusal", [403, 416])
@pytest.mark.parametrize(
    ("size", "there"),
    [
        (100_000, stands("PUBLISH_COMPLETE", publicaly_available_post_id=[71])),
        (100_000, stands("PROCESSING_UPLOAD", uploaded_bytes=100_000)),
        (11 * 1024 * 1024, stands("PUBLISH_COMPLETE", publicaly_available_post_id=[71])),
    ],
)
def test_a_video_that_is_there_without_our_knowing_is_not_announced_again(
    refusal: int, size: int, there: httpx.Response
) -> None:
    """An older database was put back: it knows the announcement, but no chunk of it."""
    done = stands("PUBLISH_COMPLETE", publicaly_available_post_id=[71])
    script = Script(creator("SELF_ONLY"), announced(), httpx.Response(refusal), there, done)
    chosen = replace(post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME)), media=video(size))
    published = script.run(P.TIKTOK, lambda one: one.publish(chosen))
    assert published.content_id == "71"


def test_an_address_that_is_used_up_is_no_video() -> None:
    script = Script(
        creator("SELF_ONLY"), announced(), httpx.Response(403), stands("PROCESSING_UPLOAD", uploaded_bytes=0)
    )
    error = script.fail(P.TIKTOK, lambda one: one.publish(post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME))))
    assert (error.kind, error.code) == (FailureKind.TRANSIENT, "http_403")


class Overtaken(MemorySteps):
    """While this worker stalls behind its last chunk, another one announces the video again."""

    has_departed = True

    def holds(self) -> bool:
        return '"sent":1' not in self._values.get("session", "")

    async def put(self, name: str, value: str) -> None:
        await super().put(name, value.replace("v.1", "v.2") if '"sent":1' in value else value)

    async def depart(self) -> None:
        """Depart immediately."""


def test_a_worker_that_was_overtaken_reports_its_own_video_and_leaves_the_other_one() -> None:
    steps = Overtaken()
    script = Script(creator("SELF_ONLY"), announced(), httpx.Response(201), stands("FAILED"))
    chosen = post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME))
    error = script.fail(P.TIKTOK, lambda one: one.publish(replace(chosen, steps=steps, departure=steps)))
    assert error.code == "failed"
    assert json.loads(script.requests[-1].content) == {"publish_id": "v.1"}
    assert "v.2" in (asyncio.run(steps.get("session")) or "")


def test_a_video_that_tiktok_could_not_process_is_announced_again() -> None:
    steps = MemorySteps()
    script = Script(creator("SELF_ONLY"), announced(), httpx.Response(201), stands("FAILED"))
    chosen = post(TikTokChoice(privacy=TikTokPrivacy.ONLY_ME))
    script.fail(P.TIKTOK, lambda one: one.publish(replace(chosen, steps=steps)))
    assert asyncio.run(steps.get("session")) == ""


def test_what_an_account_may_choose() -> None:
    told = {
        "creator_nickname": "Okafor Studio",
        "creator_username": "okafor",
        "duet_disabled": True,
        "max_video_post_duration_sec": 600,
    }
    script = Script(creator("PUBLIC_TO_EVERYONE", "SELF_ONLY", "SELF_ONLY", "A_NEW_ONE", **told))

    async def ask(adapter: object) -> Any:
        assert isinstance(adapter, CreatorAdapter)
        return await adapter.creator(TOKEN)

    found = script.run(P.TIKTOK, ask)
    assert found.model_dump() == {
        "nickname": "Okafor Studio",
        "username": "okafor",
        "privacy_levels": ["PUBLIC_TO_EVERYONE", "SELF_ONLY", "A_NEW_ONE"],
        "comments_disabled": False,
        "duet_disabled": True,
        "stitch_disabled": False,
        "max_video_seconds": 600,
    }


@pytest.mark.parametrize("data", [{}, {"privacy_level_options": [1]}, {"privacy_level_options": ["A"] * 101}])
def test_an_answer_that_makes_no_sense_is_no_permission(data: object) -> None:
    script = Script(json_answer(200, {"data": data, **OK}))
    choice = TikTokChoice(privacy=TikTokPrivacy.ONLY_ME)
    error = script.fail(P.TIKTOK, lambda one: one.prepare(post(choice)))
    assert error.kind is FailureKind.TRANSIENT


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (200, "internal", FailureKind.AMBIGUOUS),
        (200, "internal_error", FailureKind.AMBIGUOUS),
        (200, "something_new", FailureKind.AMBIGUOUS),
        (200, "photo_pull_failed", FailureKind.AMBIGUOUS),
        (400, "internal", FailureKind.AMBIGUOUS),
        (500, "invalid_params", FailureKind.AMBIGUOUS),
        (400, "something_new", FailureKind.INVALID),
        (200, "spam_risk_too_many_posts", FailureKind.QUOTA),
        (200, "url_ownership_unverified", FailureKind.PERMISSION),
    ],
)
def test_only_a_known_refusal_of_a_photo_says_that_it_is_not_published(
    status: int, code: str, kind: FailureKind
) -> None:
    photo = post(TikTokChoice(privacy=TikTokPrivacy.EVERYONE), PostType.IMAGE)
    answer = json_answer(status, {"data": {}, "error": {"code": code, "message": "no"}})
    script = Script(creator("PUBLIC_TO_EVERYONE"), answer)
    assert script.fail(P.TIKTOK, lambda adapter: adapter.publish(photo)).kind is kind
    looked = Script()
    seen = looked.run(P.TIKTOK, lambda adapter: adapter.look_back(photo, since=NOW, known=()))
    unsure = kind is FailureKind.AMBIGUOUS
    assert seen == LookBack(LookBackOutcome.UNKNOWABLE if unsure else LookBackOutcome.UNSENT)


class OvertakenPhoto(MemorySteps):
    """While this worker stores that it announces a photo, another one announces it and is answered."""

    has_departed = True

    def holds(self) -> bool:
        return not self._values.get("photo")

    async def put(self, name: str, value: str) -> None:
        await super().put(name, value.replace("null", '"v.2"'))

    async def depart(self) -> None:
        """Depart immediately."""


def test_a_worker_that_was_overtaken_leaves_the_other_one_s_photo() -> None:
    steps = OvertakenPhoto()
    photo = post(TikTokChoice(privacy=TikTokPrivacy.EVERYONE), PostType.IMAGE)
    script = Script(creator("PUBLIC_TO_EVERYONE"))
    error = script.fail(P.TIKTOK, lambda one: one.publish(replace(photo, steps=steps, departure=steps)))
    assert error.kind is FailureKind.TRANSIENT
    assert asyncio.run(steps.get("photo")) == '{"publish_id":"v.2"}'
