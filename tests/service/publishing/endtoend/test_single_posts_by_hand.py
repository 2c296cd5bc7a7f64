"""Single posts of connected accounts that the user publishes by hand, over both APIs."""

from typing import Any, Final
from uuid import uuid4

import pytest

from app.contract.enums import PostingPlatform, PostType
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage, wait_for
from tests.service.publishing.endtoend.test_places import Places
from tests.service.running import in_hours
from tests.service.test_envelope import fields

X: Final = PostingPlatform.X


@pytest.fixture
def base(stage: Stage) -> str:
    return f"{stage.caller.service.base_url}/companion/v1/posts"


def body(stage: Stage, **changes: Any) -> dict[str, Any]:
    return {
        "social_account_id": stage.rested(X)["id"],
        "platform": X.value,
        "post_type": "text",
        "description": f"Wool {uuid4().hex}",
        **changes,
    }


def test_a_post_created_by_hand_waits_for_the_user(stage: Stage, base: str) -> None:
    http = stage.caller.http
    wanted = body(stage, by_hand=True, idempotency_key=uuid4().hex)
    made = http.post(base, json=wanted)
    assert (made.status_code, made.json()["by_hand"]) == (201, True)
    address = f"{base}/{made.json()['id']}"
    again = http.post(base, json=wanted)
    assert (again.status_code, again.json()["id"]) == (200, made.json()["id"])
    assert http.post(base, json=wanted | {"by_hand": False}).status_code == 400

    wait_for(lambda: http.get(address).json(), lambda found: found["status"] == "processing")
    seen = http.get(f"/posts/{made.json()['id']}").json()
    assert (seen["status"], "by_hand" in seen) == ("processing", False)
    refused = http.patch(f"/posts/{made.json()['id']}", json={"scheduled_at": in_hours(1)})
    assert refused.status_code == 400

    done = http.put(f"{address}/finished", json={"url": "https://x.com/mira/status/1"})
    assert (done.status_code, done.json()["status"]) == (200, "posted")
    back = http.delete(f"{address}/finished")
    assert (back.status_code, back.json()["status"]) == (200, "processing")
    moved = http.patch(address, json={"scheduled_at": in_hours(1)})
    assert (moved.status_code, moved.json()["status"], moved.json()["by_hand"]) == (200, "scheduled", True)


def test_a_scheduled_post_is_set_to_by_hand_and_back(stage: Stage, base: str) -> None:
    http = stage.caller.http
    made = stage.create(body(stage, scheduled_at=in_hours(1))).json()
    address = f"{base}/{made['id']}"
    for by_hand in (True, False):
        changed = http.put(f"{address}/by-hand", json={"by_hand": by_hand})
        assert (changed.status_code, changed.json()["by_hand"]) == (200, by_hand)
        assert http.get(address).json()["by_hand"] is by_hand
        listed = http.get(base, params={"from": in_hours(0.9), "to": in_hours(1.1)}).json()["data"]
        assert by_hand in [one["by_hand"] for one in listed if one["id"] == made["id"]]
    assert http.put(f"{address}/finished", json={}).status_code == 400


def test_rules_of_a_platforms_api_apply_only_to_posts_that_kalends_publishes(stage: Stage, base: str) -> None:
    http, platform = stage.caller.http, PostingPlatform.PINTEREST
    wanted = body(
        stage,
        social_account_id=stage.rested(platform)["id"],
        platform=platform.value,
        post_type="image",
        media_storage_path=stage.stored(next(taken(platform, PostType.IMAGE))),
        scheduled_at=in_hours(1),
    )
    assert list(fields(http.post(base, json=wanted))) == ["pinterest_board_id"]
    made = http.post(base, json=wanted | {"by_hand": True})
    assert made.status_code == 201, made.text
    address = f"{base}/{made.json()['id']}"
    refused = http.put(f"{address}/by-hand", json={"by_hand": False})
    assert (refused.status_code, list(fields(refused))) == (400, ["pinterest_board_id"])
    assert http.get(address).json()["by_hand"] is True


def test_only_posts_of_platforms_with_a_composer_are_published_by_hand(stage: Stage, base: str) -> None:
    places = Places(stage)
    accounts = places.connect("mira", "", "x-by-hand").json(), places.connected()
    for account in accounts:
        platform = account["platform"]
        wanted = body(stage, social_account_id=account["id"], platform=platform, scheduled_at=in_hours(1))
        refused = stage.caller.http.post(base, json=wanted | {"by_hand": True})
        assert (refused.status_code, list(fields(refused))) == (400, ["by_hand"])
        made = stage.caller.http.post(base, json=wanted)
        assert made.status_code == 201, made.text
        for by_hand in (True, False):
            changed = stage.caller.http.put(f"{base}/{made.json()['id']}/by-hand", json={"by_hand": by_hand})
            assert (changed.status_code, list(fields(changed))) == (400, ["by_hand"])
