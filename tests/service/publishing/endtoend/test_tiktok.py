"""TikTok's practice platform gets what was chosen, and shows it; without a choice nothing is sent."""

from typing import Any

from app.contract.enums import PostingPlatform, PostType
from tests.service.connections.consenting import choose_for_account, connect
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage

TIKTOK = PostingPlatform.TIKTOK
PARTNERSHIP = {
    "privacy": "MUTUAL_FOLLOW_FRIENDS",
    "allow_comments": True,
    "branded_content": True,
    "your_brand": True,
    "ai_generated": True,
}


def _account(stage: Stage, name: str, choice: dict[str, Any] | None) -> str:
    """A TikTok account of a person; gives its id."""
    account = str(connect(stage.caller, stage.person, "tiktok", name)["id"])
    choose_for_account(stage.caller, account, choice)
    return account


def _body(stage: Stage, account: str, post_type: PostType = PostType.VIDEO) -> dict[str, Any]:
    return {
        "social_account_id": account,
        "platform": "tiktok",
        "post_type": post_type.value,
        "description": "For whom?",
        "media_storage_path": stage.stored(next(taken(TIKTOK, post_type))),
    }


def _choose(stage: Stage, path: str, account: str, choice: dict[str, Any] | None) -> None:
    url = f"{stage.caller.service.base_url}/companion/v1/media/{path}"
    answer = stage.caller.http.patch(url, json={"tiktok": {account: choice}})
    assert answer.status_code == 200, answer.text


def _labels(stage: Stage, post: dict[str, Any]) -> str:
    [entry] = stage.ledger_of(stage.content_of(post["id"])["content_id"])
    return str(entry["labels"])


def test_a_post_that_nobody_chose_for_is_refused_before_anything_is_sent(stage: Stage) -> None:
    before = len(stage.practice.get("/ledger").json()["data"])
    created = stage.create(_body(stage, _account(stage, "undecided", None)))
    assert created.status_code == 201, created.text
    post = stage.ended(created.json()["id"])
    assert post["status"] == "failed"
    [attempt] = stage.attempts(post["id"])
    assert (attempt["step"], attempt["platform_code"], attempt["outcome"]) == (
        "prepare",
        "no_choice",
        "refused",
    )
    sentence = "Choose who can see it on TikTok, in the composer or for the account."
    assert attempt["advice"].startswith(sentence)
    assert stage.event_of(post["id"], "post.failed")["reason"].startswith(sentence)
    assert len(stage.practice.get("/ledger").json()["data"]) == before


def test_the_choice_of_a_file_reaches_tiktok_and_is_shown_there(stage: Stage) -> None:
    account = _account(stage, "partner", {"privacy": "SELF_ONLY"})
    body = _body(stage, account)
    _choose(stage, body["media_storage_path"], account, PARTNERSHIP)
    post = stage.publish(body)
    _choose(stage, body["media_storage_path"], account, None)
    shown = "Friends · Paid partnership · Creator labeled as AI-generated · No duets · No stitches"
    page = stage.practice.get("/published/tiktok").text
    assert f"Practice labels: {shown}" in page
    assert shown in {entry["labels"] for entry in stage.practice.get("/ledger").json()["data"]}
    assert stage.content_of(post["id"])


def test_the_choice_of_an_account_counts_for_other_programs(stage: Stage) -> None:
    account = _account(stage, "program", {"privacy": "PUBLIC_TO_EVERYONE", "your_brand": True})
    video, photo = (stage.publish(_body(stage, account, kind)) for kind in (PostType.VIDEO, PostType.IMAGE))
    seen = "Everyone · Promotional content · No comments"
    assert _labels(stage, video) == f"{seen} · No duets · No stitches"
    assert _labels(stage, photo) == seen


def test_what_tiktok_does_not_offer_is_not_tried(stage: Stage) -> None:
    account = _account(stage, "ines-duarte", {"privacy": "PUBLIC_TO_EVERYONE"})
    post = stage.ended(stage.create(_body(stage, account)).json()["id"])
    [attempt] = stage.attempts(post["id"])
    assert (post["status"], attempt["platform_code"]) == ("failed", "not_offered")
    choose_for_account(stage.caller, account, {"privacy": "FOLLOWER_OF_CREATOR", "allow_duet": True})
    stage.publish(_body(stage, account))
    assert "Followers · No comments · No duets · No stitches" in stage.practice.get("/published/tiktok").text
