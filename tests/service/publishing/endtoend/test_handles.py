"""Bluesky accounts that are allowed in the browser: found from the handle, published to, renewed, ended."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select, update

from app.platforms.bluesky.access import Access
from app.service.store.seal import open_seal
from app.service.store.tables import connections
from tests.service.connections.consenting import allow
from tests.service.publishing.endtoend.stage import Stage, wait_for
from tests.service.test_envelope import fields

_BODY: Final = {"platform": "bluesky"}


class Handles:
    """The companion API of one caller, and a person in front of a browser."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.http = stage.caller.http
        self.companion = f"{stage.caller.service.base_url}/companion/v1"
        self.base = f"{self.companion}/places"

    def initiate(self, handle: str) -> httpx.Response:
        return self.http.post(f"{self.base}/initiate", json={**_BODY, "server": handle})

    def connected(self, handle: str = "") -> dict[str, Any]:
        """The account of a handle, or a new one."""
        begun = self.initiate(handle or f"person-{uuid4().hex[:8]}.bsky.social")
        assert begun.status_code == 201, begun.text
        page = allow(self.stage.person, begun.json()["connect_url"])
        assert "is connected." in page.text, page.text
        attempt = f"{self.companion}/connections/attempts/{begun.json()['connection_id']}"
        return self.listed_as(self.http.get(attempt).json()["connection_id"])

    def listed_as(self, place_id: str) -> dict[str, Any]:
        asked = {"limit": "100", "include_unavailable": "true"}
        listed: list[dict[str, Any]] = self.http.get(self.base, params=asked).json()["data"]
        return next(one for one in listed if one["id"] == place_id)

    def published(self, place: dict[str, Any], more: str = "") -> dict[str, Any]:
        text = f"Wool {uuid4().hex} {more}".strip()
        body = {**_BODY, "social_account_id": place["id"], "post_type": "text", "description": text}
        created = self.http.post(f"{self.base}/posts", json=body)
        assert created.status_code == 201, created.text
        path = f"{self.base}/posts/{created.json()['id']}"

        def asked() -> dict[str, Any]:
            found: dict[str, Any] = self.http.get(path).json()
            return found

        return wait_for(asked, lambda post: post["status"] in {"posted", "failed"})

    def row(self, place: dict[str, Any]) -> Any:
        found = select(connections).where(connections.c.id == UUID(place["id"]))
        return self.stage.caller.service.database.read_now(lambda rows: rows.execute(found).one())

    def access(self, place: dict[str, Any]) -> Access:
        sealed = self.row(place).access_token
        text = open_seal(self.stage.caller.service.folder).open(sealed, UUID(place["id"]))
        return Access.read(text, "http://127.0.0.1")


@pytest.fixture
def handles(stage: Stage) -> Handles:
    return Handles(stage)


def test_an_account_is_connected_in_the_browser_and_published_to(handles: Handles) -> None:
    place = handles.connected("mira-lind.bsky.social")
    assert (place["platform"], place["username"]) == ("bluesky", "mira-lind.bsky.social")
    end = datetime.fromisoformat(place["sign_in_by"])
    assert abs(end - datetime.now(UTC) - timedelta(days=14)) < timedelta(hours=1)
    assert handles.published(place)["status"] == "posted"


def test_a_link_that_may_not_be_followed_holds_no_post_up(handles: Handles) -> None:
    place = handles.connected()
    post = handles.published(place, f"{handles.stage.practice.base_url}/ledger")
    assert post["status"] == "posted"
    ledger = handles.stage.practice.get("/ledger").json()["data"]
    [entry] = [one for one in ledger if one["text"] == post["description"]]
    assert not entry["labels"]


def test_the_key_is_sealed_like_the_tokens_and_each_session_has_its_own(handles: Handles) -> None:
    first = handles.connected("ines-duarte.bsky.social")
    access = handles.access(first)
    assert access.consented is not None
    for secret in (access.token, access.consented.key.d):
        assert secret.encode() not in handles.row(first).access_token
    again = handles.connected("ines-duarte.bsky.social")
    assert again["id"] == first["id"]
    renewed = handles.access(again)
    assert renewed.consented is not None
    assert renewed.consented.key != access.consented.key


def test_tokens_are_renewed_before_they_are_used_and_the_end_stays(handles: Handles) -> None:
    place = handles.connected()
    before = handles.access(place)
    expired = update(connections).where(connections.c.id == UUID(place["id"]))
    ago = datetime.now(UTC) - timedelta(minutes=1)
    database = handles.stage.caller.service.database
    database.write_now(lambda rows: rows.execute(expired.values(token_expires_at=ago)))
    assert handles.published(place)["status"] == "posted"
    assert handles.access(place).token != before.token
    assert handles.listed_as(place["id"])["sign_in_by"] == place["sign_in_by"]


def test_disconnecting_ends_the_session(handles: Handles) -> None:
    place = handles.connected()
    handles.published(place)
    assert handles.http.delete(f"{handles.base}/{place['id']}").status_code == 200
    gone = handles.listed_as(place["id"])
    assert (gone["is_available"], gone["sign_in_by"]) == (False, None)


def test_an_app_password_replaces_a_session_that_ends(handles: Handles) -> None:
    place = handles.connected("kei-tanaka.bsky.social")
    body = {**_BODY, "handle": "kei-tanaka.bsky.social", "app_password": "abcd-efgh-2345-6789"}
    connected = handles.http.post(handles.base, json=body)
    assert connected.json()["id"] == place["id"]
    assert handles.listed_as(place["id"])["sign_in_by"] is None


def test_a_handle_may_leave_out_its_usual_domain(handles: Handles) -> None:
    assert handles.initiate("mira-lind").status_code == 201


def test_an_unknown_handle_is_refused(handles: Handles) -> None:
    answer = handles.initiate("nobody.example.com")
    assert (answer.status_code, list(fields(answer))) == (400, ["server"])
    assert answer.json()["error"]["details"]["errors"][0]["type"] == "unknown_handle"


def test_the_specified_api_shows_nothing_of_it(handles: Handles) -> None:
    place = handles.connected()
    listed = handles.http.get("/connections", params={"include_unavailable": "true", "limit": 100})
    assert listed.status_code == 200
    assert place["id"] not in listed.text
    assert "sign_in_by" not in listed.text
    assert handles.http.get(f"/connections/{place['id']}").status_code == 404
