"""Mastodon, a network of many servers: connected through a server's consent page, published to, looked up."""

import json
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import select

from app.contract.enums import PostingPlatform, PostType
from app.service.store.tables import connections, server_apps
from tests.service.connections.consenting import allow
from tests.service.publishing.endtoend.files import taken
from tests.service.publishing.endtoend.stage import Stage, sha256, wait_for
from tests.service.running import in_hours
from tests.service.test_envelope import fields

NETWORK: Final = "mastodon"
OPTIONS: Final = {"content_warning": "Wool ahead", "visibility": "unlisted", "language": "de"}


class Servers:
    """The companion API of one caller, and a person in front of a browser."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.http = stage.caller.http
        self.companion = f"{stage.caller.service.base_url}/companion/v1"
        self.base = f"{self.companion}/places"

    def initiate(self, server: str, platform: str = NETWORK) -> httpx.Response:
        return self.http.post(f"{self.base}/initiate", json={"platform": platform, "server": server})

    def outcome(self, attempt: str) -> dict[str, Any]:
        found: dict[str, Any] = self.http.get(f"{self.companion}/connections/attempts/{attempt}").json()
        return found

    def connected(self, server: str = "wool.example", account: str = "") -> dict[str, Any]:
        """A new account on a server, or the one of a name."""
        begun = self.initiate(server)
        assert begun.status_code == 201, begun.text
        asked = httpx.URL(begun.json()["connect_url"])
        named = {"account": account or f"person {uuid4().hex[:8]}"}
        page = allow(self.stage.person, str(asked.copy_merge_params(named)))
        assert "is connected." in page.text, page.text
        outcome = self.outcome(begun.json()["connection_id"])
        return next(one for one in self.listed() if one["id"] == outcome["connection_id"])

    def listed(self, path: str = "", **query: Any) -> list[dict[str, Any]]:
        asked = {"limit": 100, **query}
        found: list[dict[str, Any]] = self.http.get(f"{self.base}{path}", params=asked).json()["data"]
        return found

    def post(self, place: dict[str, Any], **changes: Any) -> httpx.Response:
        body = {
            "social_account_id": place["id"],
            "platform": NETWORK,
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

    def entries(self, place: dict[str, Any], text: str) -> list[dict[str, Any]]:
        ledger = self.stage.practice.get("/ledger").json()["data"]
        wanted = self.account(place), text
        return [one for one in ledger if (one["account_identifier"], one["text"]) == wanted]

    def fail(self, operation: str, kind: str, place: dict[str, Any] | None = None) -> None:
        order = {"platform": NETWORK, "operation": operation, "kind": kind}
        if place is not None:
            order["account"] = self.account(place)
        assert self.stage.practice.post("/faults", json=order).status_code == 201

    def apps(self) -> list[Any]:
        database = self.stage.caller.service.database
        return list(database.read_now(lambda rows: rows.execute(select(server_apps)).all()))

    @staticmethod
    def account(place: dict[str, Any]) -> str:
        identifier: str = place["account_identifier"].partition("@")[0]
        return identifier


@pytest.fixture
def servers(stage: Stage) -> Servers:
    return Servers(stage)


def test_an_account_is_connected_by_the_name_of_its_server(servers: Servers) -> None:
    first = servers.connected("@mira@wool.example", "mira-lind")
    assert (first["platform"], first["username"]) == ("mastodon", "mira_lind@wool.example")
    assert first["avatar_url"]
    assert first["token_expires_at"] is None
    again = servers.connected("wool.example", "mira-lind")
    assert again["id"] == first["id"]
    elsewhere = servers.connected("yarn.example", "mira-lind")
    assert elsewhere["id"] != first["id"]
    assert elsewhere["account_identifier"] != first["account_identifier"]


def test_an_app_is_registered_once_for_each_server_and_kept_sealed(servers: Servers) -> None:
    server = f"s{uuid4().hex[:8]}.example"
    for _ in range(2):
        servers.connected(server)
    [app] = [one for one in servers.apps() if one.server == f"https://{server}"]
    assert server.encode() not in app.credentials
    assert b"client" not in app.credentials


def test_a_server_that_forgot_the_app_gets_another(servers: Servers) -> None:
    server = f"s{uuid4().hex[:8]}.example"
    servers.connected(server)
    [before] = [one for one in servers.apps() if one.server == f"https://{server}"]
    servers.fail("token", "reject")
    servers.connected(server)
    [after] = [one for one in servers.apps() if one.server == f"https://{server}"]
    assert before.id != after.id


def test_the_token_is_sealed_with_its_server(servers: Servers) -> None:
    place = servers.connected()
    stored = select(connections.c.access_token).where(connections.c.id == UUID(place["id"]))
    sealed = servers.stage.caller.service.database.read_now(lambda rows: rows.scalar(stored))
    tokens = servers.stage.practice.get("/tokens").json()["data"]
    assert sealed
    assert not [token for token in tokens if token.encode() in sealed]


@pytest.mark.parametrize(
    ("server", "platform", "field"),
    [
        ("nowhere", NETWORK, "server"),
        ("10.0.0.1", NETWORK, "server"),
        ("wool.example", "bluesky", "server"),
        ("wool.example", "linkedin", "platform"),
        ("wool.example", "unheard-of", "platform"),
    ],
)
def test_what_cannot_be_connected(servers: Servers, server: str, platform: str, field: str) -> None:
    answer = servers.initiate(server, platform)
    assert (answer.status_code, list(fields(answer))) == (400, [field])


def test_a_browser_with_another_state_connects_nothing(servers: Servers) -> None:
    begun = servers.initiate("wool.example").json()
    callback = httpx.URL(begun["connect_url"]).params["redirect_uri"]
    page = servers.stage.person.get(callback, params={"code": "stolen", "state": "forged"})
    assert page.status_code >= 400
    assert servers.outcome(begun["connection_id"])["stage"] == "waiting"


def test_a_denied_consent_connects_nothing(servers: Servers) -> None:
    begun = servers.initiate("wool.example").json()
    allow(servers.stage.person, begun["connect_url"], "deny")
    assert servers.outcome(begun["connection_id"])["stage"] == "denied"


def test_posts_with_options_and_files_are_published(servers: Servers) -> None:
    place = servers.connected()
    image, video = (
        next(iter(taken(PostingPlatform(NETWORK), kind))) for kind in (PostType.IMAGE, PostType.VIDEO)
    )
    text = servers.created(place, options=OPTIONS)
    assert text["options"] == OPTIONS
    posts = {
        kind: servers.created(
            place, post_type=kind, media_storage_path=servers.stage.stored(sample), description=f"A {kind}"
        )
        for kind, sample in (("image", image), ("video", video))
    }
    for post in (text, *posts.values()):
        servers.ended(post["id"])
    [written] = servers.entries(place, text["description"])
    assert (written["title"], written["labels"]) == ("Wool ahead", "unlisted, de")
    for kind, sample in (("image", image), ("video", video)):
        [shown] = servers.entries(place, f"A {kind}")
        assert shown["media_sha256"] == sha256(sample.content)
    history = {one["scheduled_post_id"]: one for one in servers.listed("/content-history")}
    assert history[text["id"]]["content_id"] == f"{written['content_id']}@wool.example"
    [attempt] = servers.stage.attempts(text["id"])
    assert written["content_id"] in attempt["content_url"]
    assert next(one for one in servers.listed("/posts") if one["id"] == text["id"])["options"] == OPTIONS


def test_limits_are_those_of_the_server(servers: Servers) -> None:
    small, large = servers.connected("wool.example"), servers.connected("gotosocial.example")
    long = "a" * 4_000
    assert list(fields(servers.post(small, description=long))) == ["description"]
    servers.ended(servers.created(large, description=long)["id"])
    limits = servers.http.get(f"{servers.base}/{large['id']}/limits").json()
    assert (limits["text_max"], limits["files_max"]) == (5_000, 4)
    stored = select(connections.c.limits).where(connections.c.id == UUID(large["id"]))
    kept = servers.stage.caller.service.database.read_now(lambda rows: rows.scalar(stored))
    assert kept == limits


def test_networks_with_the_same_limits_everywhere_have_none(servers: Servers) -> None:
    body = {"platform": "bluesky", "handle": f"p{uuid4().hex[:8]}", "app_password": "abcd-efgh-2345-6789"}
    place = servers.http.post(servers.base, json=body).json()
    limits = servers.http.get(f"{servers.base}/{place['id']}/limits").json()
    assert {name: value for name, value in limits.items() if value} == {}
    answer = servers.post(place, platform="bluesky", options={"visibility": "unlisted"})
    assert list(fields(answer)) == ["options.visibility"]


def test_a_content_warning_counts_with_the_text(servers: Servers) -> None:
    place = servers.connected()
    whole = {"description": "a" * 490, "scheduled_at": in_hours(2)}
    assert servers.post(place, **whole, options={"content_warning": "b" * 10}).status_code == 201
    answer = servers.post(place, **whole, options={"content_warning": "b" * 11})
    assert list(fields(answer)) == ["description"]


@pytest.mark.parametrize(
    "options",
    [
        {"visibility": "direct"},
        {"language": "German, please"},
        {"content_warning": "x" * 1_001},
    ],
)
def test_options_that_are_none(servers: Servers, options: dict[str, str]) -> None:
    answer = servers.post(servers.connected(), options=options)
    assert answer.status_code == 400
    assert list(fields(answer)) == [f"options.{next(iter(options))}"]


@pytest.mark.variation
def test_a_lost_answer_doubles_nothing(servers: Servers) -> None:
    place = servers.connected("pixelfed.example")  # which recognizes no keys
    servers.fail("publish", "timeout_after_accept", place)
    post = servers.created(place, description=f"Lost {uuid4().hex}")
    servers.ended(post["id"])
    assert len(servers.entries(place, post["description"])) == 1


@pytest.mark.variation
def test_a_repeat_finds_out_what_a_look_cannot(servers: Servers) -> None:
    """The list of statuses is down, so only the key tells that the post is there."""
    place = servers.connected()
    servers.fail("publish", "timeout_after_accept", place)
    order = {"platform": NETWORK, "operation": "look_back", "kind": "error_500", "times": 100}
    servers.stage.practice.post("/faults", json={**order, "account": servers.account(place)})
    post = servers.created(place, description=f"Lost {uuid4().hex}")
    servers.ended(post["id"])
    assert len(servers.entries(place, post["description"])) == 1
    steps = [one["step"] for one in servers.stage.attempts(post["id"])]
    assert steps == ["repeat", "publish"]


def test_a_revoked_token_ends_the_account_until_it_is_connected_again(servers: Servers) -> None:
    place = servers.connected("wool.example", "otto-brand")
    servers.fail("token", "expired_token", place)
    post = servers.created(place, description=f"Later {uuid4().hex}")

    def is_available() -> bool:
        found = servers.listed(include_unavailable=True)
        return bool(next(one for one in found if one["id"] == place["id"])["is_available"])

    wait_for(is_available, lambda available: not available)
    assert servers.connected("wool.example", "otto-brand")["id"] == place["id"]
    servers.ended(post["id"])
    assert len(servers.entries(place, post["description"])) == 1


def test_disconnecting_revokes_the_token(servers: Servers) -> None:
    place = servers.connected()
    before = servers.stage.practice.get("/tokens").json()["data"]
    assert servers.http.delete(f"{servers.base}/{place['id']}").status_code == 200
    server = f"/{NETWORK}/wool.example/api/v1/accounts/verify_credentials"
    answers = [
        servers.stage.practice.get(server, headers={"Authorization": f"Bearer {token}"}) for token in before
    ]
    assert "The access token was revoked" in {json.loads(one.content).get("error") for one in answers}


def test_v1_shows_nothing_of_it(servers: Servers) -> None:
    place = servers.connected()
    planned = servers.created(place, scheduled_at=in_hours(2), options=OPTIONS)
    posted = servers.ended(servers.created(place)["id"])
    paths = ("/posts", "/connections?include_unavailable=true", "/content-history", "/analytics", "/usage")
    shown = "".join(servers.http.get(path).text for path in paths)
    hidden = ("mastodon", place["id"], planned["id"], posted["id"], "Wool ahead", "options")
    assert not [word for word in hidden if word in shown]
    assert servers.http.get(f"/connections/{place['id']}").status_code == 404
    assert servers.http.post("/connections/initiate", json={"platform": NETWORK}).status_code == 400
