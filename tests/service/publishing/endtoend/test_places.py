"""Bluesky, a companion network: connected, published to and looked up, without a trace in ``/api/v1``."""

import json
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select

from app.contract.enums import EventType, PostingPlatform, PostType
from app.platforms.cards import COMPANION_NETWORKS
from app.service.companion.change_log import Position, read_changes
from app.service.store.seal import open_seal
from app.service.store.tables import connections, events
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage, sha256, wait_for
from tests.service.running import in_hours
from tests.service.test_envelope import fields

APP_PASSWORD: Final = "abcd-efgh-2345-6789"
V1: Final = (
    "/posts",
    "/connections?include_unavailable=true",
    "/content-history",
    "/analytics",
    "/webhooks",
    "/usage",
)


class Places:
    """The companion API of one caller."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.http = stage.caller.http
        self.base = f"{stage.caller.service.base_url}/companion/v1/places"

    def connect(self, handle: str, password: str = APP_PASSWORD, platform: str = "bluesky") -> httpx.Response:
        body = {"platform": platform, "handle": handle, "app_password": password}
        return self.http.post(self.base, json=body)

    def connected(self) -> dict[str, Any]:
        answer = self.connect(f"person-{uuid4().hex[:8]}.bsky.social")
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def post(self, place: dict[str, Any], **changes: Any) -> httpx.Response:
        body = {
            "social_account_id": place["id"],
            "platform": "bluesky",
            "post_type": "text",
            "description": f"Wool {uuid4().hex}",
            **changes,
        }
        return self.http.post(f"{self.base}/posts", json=body)

    def created(self, place: dict[str, Any], **changes: Any) -> dict[str, Any]:
        answer = self.post(place, **changes)
        assert answer.status_code == 201, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def ended(self, post_id: str, status: str = "posted") -> dict[str, Any]:
        def asked() -> dict[str, Any]:
            found: dict[str, Any] = self.http.get(f"{self.base}/posts/{post_id}").json()
            return found

        post = wait_for(asked, lambda post: post["status"] in {"posted", "failed"})
        assert post["status"] == status, self.stage.attempts(post_id)
        return post

    def sealed(self, place: dict[str, Any]) -> tuple[bytes, bytes | None]:
        stored = select(connections.c.access_token, connections.c.refresh_token)
        stored = stored.where(connections.c.id == UUID(place["id"]))
        row = self.stage.caller.service.database.read_now(lambda rows: rows.execute(stored).one())
        return row.access_token, row.refresh_token

    def tokens(self, place: dict[str, Any]) -> tuple[str, str]:
        seal = open_seal(self.stage.caller.service.folder)
        access, refresh = self.sealed(place)
        assert refresh is not None
        return seal.open(access, UUID(place["id"])), seal.open(refresh, UUID(place["id"]))

    def knows(self, token: str) -> bool:
        """Whether the network accepts an access token."""
        session = "/bluesky/xrpc/com.atproto.server.getSession"
        asked = self.stage.practice.get(session, headers={"Authorization": f"Bearer {token}"})
        return bool(asked.status_code == 200)

    def listed(self, path: str = "", **query: Any) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.http.get(
            f"{self.base}{path}", params={"limit": 100, **query}
        ).json()["data"]
        return found

    def entries(self, place: dict[str, Any], text: str) -> list[dict[str, Any]]:
        ledger = self.stage.practice.get("/ledger").json()["data"]
        wanted = place["account_identifier"], text
        return [one for one in ledger if (one["account_identifier"], one["text"]) == wanted]


@pytest.fixture
def places(stage: Stage) -> Places:
    return Places(stage)


def test_an_account_is_connected_and_renewed_with_an_app_password(places: Places) -> None:
    first = places.connect("@mira-lind")
    again = places.connect("mira-lind.bsky.social")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert (first.json()["platform"], first.json()["username"]) == ("bluesky", "mira-lind.bsky.social")
    assert [one["id"] for one in places.listed()].count(first.json()["id"]) == 1


@pytest.mark.parametrize(
    ("handle", "password", "platform", "field"),
    [
        ("mira-lind", "my real password", "bluesky", "app_password"),
        ("not a handle!", APP_PASSWORD, "bluesky", "handle"),
        ("mira-lind", "aaaa-aaaa-aaaa-aaaa", "bluesky", "app_password"),
        ("mira-lind", APP_PASSWORD, "linkedin", "platform"),
        ("mira-lind", APP_PASSWORD, "nowhere", "platform"),
    ],
)
def test_what_cannot_be_connected(
    places: Places, handle: str, password: str, platform: str, field: str
) -> None:
    answer = places.connect(handle, password, platform)
    assert answer.status_code == 400
    assert list(fields(answer)) == [field]
    assert password not in answer.text


def test_an_account_with_posts_is_disconnected_and_connected_again(places: Places) -> None:
    place = places.connected()
    planned = places.created(place, scheduled_at=in_hours(2))
    access, refresh = places.tokens(place)
    assert places.knows(access)

    answer = places.http.delete(f"{places.base}/{place['id']}")
    assert (answer.status_code, answer.json()["is_available"]) == (200, False)
    assert not places.knows(access)
    assert places.sealed(place) == (b"", None)
    assert place["id"] not in [one["id"] for one in places.listed()]
    [left] = [one for one in places.listed(include_unavailable=True) if one["id"] == place["id"]]
    assert (left["is_available"], left["token_expires_at"]) == (False, None)
    kept = places.http.get(f"{places.base}/posts/{planned['id']}").json()
    assert kept == planned
    assert list(fields(places.post(place))) == ["social_account_id"]

    assert places.http.delete(f"{places.base}/{place['id']}").status_code == 200
    again = places.connect(place["username"])
    assert (again.status_code, again.json()["id"]) == (201, place["id"])
    places.ended(places.created(place)["id"])
    assert refresh not in places.tokens(place)


def test_an_account_without_posts_is_removed(places: Places) -> None:
    place = places.connected()
    assert places.http.delete(f"{places.base}/{place['id']}").json()["id"] == place["id"]
    assert place["id"] not in [one["id"] for one in places.listed(include_unavailable=True)]
    assert places.http.delete(f"{places.base}/{place['id']}").status_code == 404


@pytest.mark.parametrize("kind", ["error_500", "expired_token"])
def test_an_account_is_disconnected_although_its_network_fails(places: Places, kind: str) -> None:
    place = places.connected()
    fault = {"platform": "bluesky", "operation": "token", "kind": kind}
    places.stage.practice.post("/faults", json={**fault, "account": place["account_identifier"]})
    assert places.http.delete(f"{places.base}/{place['id']}").status_code == 200
    assert place["id"] not in [one["id"] for one in places.listed(include_unavailable=True)]


def test_accounts_of_the_specification_are_not_disconnected_here(places: Places) -> None:
    account = places.stage.accounts["linkedin"]
    assert places.http.delete(f"{places.base}/{account['id']}").status_code == 404
    assert places.http.get(f"/connections/{account['id']}").json()["is_available"]


def test_a_text_and_an_image_are_published(places: Places) -> None:
    place = places.connected()
    sample = next(iter(taken(PostingPlatform("bluesky"), PostType.IMAGE)))
    text = places.created(place, description="Grüße 👩\u200d💻 https://example.com #wool")
    image = places.created(
        place, post_type="image", media_storage_path=places.stage.stored(sample), description="An image"
    )
    for post in (text, image):
        places.ended(post["id"])
    [written] = places.entries(place, text["description"])
    [shown] = places.entries(place, "An image")
    assert (written["media_sha256"], shown["media_sha256"]) == (None, sha256(sample.content))
    history = {one["scheduled_post_id"]: one for one in places.listed("/content-history")}
    assert history[image["id"]]["content_id"] == shown["content_id"]


def test_a_lost_answer_doubles_nothing(places: Places) -> None:
    place = places.connected()
    fault = {"platform": "bluesky", "operation": "publish", "kind": "timeout_after_accept"}
    places.stage.practice.post("/faults", json={**fault, "account": place["account_identifier"]})
    post = places.created(place)
    places.ended(post["id"])
    assert len(places.entries(place, post["description"])) == 1


def test_an_expired_token_is_renewed(places: Places) -> None:
    place = places.connected()
    fault = {"platform": "bluesky", "operation": "publish", "kind": "expired_token"}
    places.stage.practice.post("/faults", json={**fault, "account": place["account_identifier"]})
    places.ended(places.created(place)["id"])
    assert place["id"] in [one["id"] for one in places.listed()]


def test_posts_are_moved_cancelled_resumed_and_deleted(places: Places) -> None:
    place = places.connected()
    post = places.created(place, scheduled_at=in_hours(2))
    address = f"{places.base}/posts/{post['id']}"
    moved = places.http.patch(address, json={"scheduled_at": in_hours(3)})
    assert (moved.status_code, moved.json()["status"]) == (200, "scheduled")
    assert places.http.delete(address).json()["action"] == "cancelled"
    assert places.http.patch(address, json={"scheduled_at": in_hours(4)}).json()["status"] == "scheduled"
    assert places.http.delete(address, params={"hard": True}).json()["action"] == "deleted"
    assert places.http.get(address).status_code == 404


def test_a_key_of_v1_is_free_here_and_repeats_are_answered(places: Places) -> None:
    place, key = places.connected(), uuid4().hex
    account = places.stage.accounts["linkedin"]
    body = places.stage.caller.post_body(account["id"], idempotency_key=key)
    assert places.stage.create(body).status_code == 201
    told = {"idempotency_key": key, "description": "Once", "scheduled_at": in_hours(1)}
    first, again = places.post(place, **told), places.post(place, **told)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()


def test_the_platforms_of_the_specification_are_not_here(places: Places) -> None:
    account = places.stage.accounts["linkedin"]
    answer = places.post(account, platform="linkedin")
    assert answer.status_code == 404
    assert {one["platform"] for one in places.listed()} <= {*COMPANION_NETWORKS}
    assert {one["platform"] for one in places.listed("/posts")} <= {*COMPANION_NETWORKS}


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"description": "a" * 301}, "description"),
        ({"post_type": "video"}, "media_storage_path"),
        ({"platform": "linkedin"}, "platform"),
    ],
)
def test_rules_of_the_network_are_checked(places: Places, changes: dict[str, Any], field: str) -> None:
    answer = places.post(places.connected(), **changes)
    assert answer.status_code == 400, answer.text
    assert field in fields(answer)


def test_v1_shows_nothing_of_it(places: Places) -> None:
    stage, place = places.stage, places.connected()
    planned = places.created(place, scheduled_at=in_hours(2), batch_id="shared")
    posted = places.ended(places.created(place)["id"])
    usage = places.http.get("/usage").json()["actions"].get("rest.posts.create")
    places.created(place, scheduled_at=in_hours(2))
    assert places.http.get("/usage").json()["actions"].get("rest.posts.create") == usage

    shown = "".join(places.http.get(path, params={"limit": 100}).text for path in V1[:4])
    shown += "".join(places.http.get(path).text for path in V1[4:])
    hidden = ("bluesky", place["id"], planned["id"], posted["id"], place["account_identifier"])
    assert not [word for word in hidden if word in shown]

    for method, path in (
        ("GET", f"/connections/{place['id']}"),
        ("POST", f"/connections/{place['id']}/reauth"),
        ("GET", f"/connections/{place['id']}/boards"),
        ("GET", f"/posts/{planned['id']}"),
        ("GET", f"/posts/{posted['id']}/analytics"),
        ("DELETE", f"/posts/{planned['id']}"),
        ("DELETE", f"/posts/{planned['id']}?hard=true"),
    ):
        assert places.http.request(method, path).status_code == 404, path
    moved = places.http.patch(f"/posts/{planned['id']}", json={"scheduled_at": in_hours(3)})
    assert moved.status_code == 404
    body = stage.caller.post_body(place["id"], platform="linkedin")
    assert stage.create(body).status_code == 404
    account = stage.accounts["linkedin"]
    other = stage.create(stage.caller.post_body(account["id"], batch_id="shared")).json()
    assert places.http.delete(f"/posts/{other['id']}").json()["details"]["remaining"] == 0
    assert places.http.get(f"{places.base}/posts/{planned['id']}").json() == planned


def test_no_event_tells_of_it(places: Places) -> None:
    place = places.connected()
    posts = [places.created(place), places.created(place, scheduled_at=in_hours(2))]
    places.ended(posts[0]["id"])
    told = select(events.c.type, events.c.data).where(events.c.account_id == places.stage.caller.account_id)
    database = places.stage.caller.service.database
    every = database.read_now(lambda rows: [(row.type, json.loads(row.data)) for row in rows.execute(told)])
    assert EventType.CONNECTION_CONNECTED in {kind for kind, _ in every}
    assert not [data for _, data in every if data["platform"] == "bluesky"]


def test_the_app_is_told_of_it(places: Places) -> None:
    place = places.connected()
    planned = places.created(place, scheduled_at=in_hours(2))
    caller = places.stage.caller
    changes = caller.service.database.read_now(
        lambda rows: read_changes(rows, caller.account_id, Position(0, 0), 10_000)
    )
    told = [json.loads(change.data.model_dump_json()) for change in changes]
    assert planned in [one["post"] for one in told if "post" in one]
    assert place in [one["connection"] for one in told if "connection" in one]
    calendar = f"{caller.service.base_url}/companion/v1/posts"
    listed = places.http.get(calendar, params={"from": in_hours(1), "to": in_hours(3), "limit": 500})
    assert planned in listed.json()["data"]


def test_the_outcome_of_a_lost_answer_is_reported(places: Places) -> None:
    planned = places.created(places.connected(), scheduled_at=in_hours(2))
    address = f"{places.stage.caller.service.base_url}/companion/v1/posts/{planned['id']}/outcome"
    answer = places.http.put(address, json={"is_live": True})
    assert (answer.status_code, list(fields(answer))) == (400, ["is_live"])
