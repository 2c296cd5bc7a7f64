"""What a person is told when a platform refuses: in the event, in the attempts, from the real service."""

from typing import Any, Final

import pytest

from app.contract.enums import PostingPlatform, PostType
from app.platforms.cards import name_of
from app.platforms.rules import RULES
from tests.service.connections.consenting import allow
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage, wait_for

# What practice says when it is asked to refuse a post.
_SAID: Final = {
    PostingPlatform.LINKEDIN: ("INVALID_VALUE_FOR_FIELD", "refused the content"),
    PostingPlatform.TIKTOK: ("http_400", "didn't understand what Kalends sent"),
    PostingPlatform.PINTEREST: ("1", "refused the content"),
    PostingPlatform.INSTAGRAM: ("100", "refused the content"),
    PostingPlatform.YOUTUBE: ("badRequest", "refused the content"),
    PostingPlatform.X: ("Forbidden", "doesn't let this account publish this"),
    PostingPlatform.FACEBOOK: ("100", "refused the content"),
}

_ENDS_ALWAYS: Final = (PostingPlatform.LINKEDIN, PostingPlatform.X)
"""Platforms whose sign-ins end in every run. `tests/platforms` tests the answers of the others."""


def body(stage: Stage, platform: PostingPlatform, text: str) -> dict[str, Any]:
    """A post that is good."""
    account, rules = stage.accounts[platform], RULES[platform]
    kind = PostType.TEXT if PostType.TEXT in rules.publishable else max(rules.publishable)
    made: dict[str, Any] = {
        "social_account_id": account["id"],
        "platform": platform.value,
        "post_type": kind.value,
        "description": text,
    }
    if kind is not PostType.TEXT:
        made["media_storage_path"] = stage.stored(next(taken(platform, kind)))
    if rules.board_needed:
        boards = stage.caller.http.get(f"/connections/{account['id']}/boards").json()["data"]
        made["pinterest_board_id"] = boards[0]["id"]
    return made


def order(stage: Stage, platform: PostingPlatform, operation: str, kind: str) -> None:
    account = stage.accounts[platform]["account_identifier"]
    fault = {"platform": platform.value, "operation": operation, "kind": kind, "account": account}
    assert stage.practice.post("/faults", json=fault).status_code == 201


@pytest.mark.parametrize("platform", list(PostingPlatform))
def test_a_refusal(stage: Stage, platform: PostingPlatform) -> None:
    asked = body(stage, platform, "This will be refused")
    order(stage, platform, "publish", "reject")

    post = stage.ended(stage.create(asked).json()["id"])

    assert post["status"] == "failed"
    code, words = _SAID[platform]
    [attempt] = stage.attempts(post["id"])
    assert (attempt["outcome"], attempt["platform_code"]) == ("refused", code)
    assert f"{name_of(platform)} {words}" in attempt["advice"]
    assert attempt["advice"].endswith((".",))
    reason = stage.event_of(post["id"], "post.failed")["reason"]
    assert reason.startswith(attempt["advice"])
    assert reason.endswith(attempt["platform_message"])


@pytest.mark.parametrize(
    "platform",
    [
        pytest.param(one, marks=() if one in _ENDS_ALWAYS else pytest.mark.variation)
        for one in PostingPlatform
    ],
)
def test_a_sign_in_that_has_ended(stage: Stage, platform: PostingPlatform) -> None:
    asked = body(stage, platform, "Nobody may send this yet")
    order(stage, platform, "token", "expired_token")
    path = f"/connections/{stage.accounts[platform]['id']}"

    post_id = stage.create(asked).json()["id"]

    wait_for(lambda: stage.caller.http.get(path).json(), lambda account: not account["is_available"])
    ends = f"{name_of(platform)} no longer accepts this account's sign-in."
    wait_for(
        lambda: stage.attempts(post_id), lambda tried: any(ends in (one["advice"] or "") for one in tried)
    )
    assert stage.caller.http.get(f"/posts/{post_id}").json()["status"] in {"queued", "processing"}
    page = allow(stage.person, stage.caller.http.post(f"{path}/reauth").json()["reauth_url"])
    assert "connected." in page.text
    assert stage.caller.http.get(path).json()["is_available"] is True
    assert stage.ended(post_id)["status"] == "posted", stage.attempts(post_id)
