"""Accounts that the user publishes to by hand, over the companion API and without a trace in ``/api/v1``."""

from typing import Any, Final

import pytest

from app.platforms.by_hand import BY_HAND
from app.platforms.card import Card
from tests.service.publishing.endtoend.stage import Stage, wait_for
from tests.service.publishing.endtoend.test_places import Places
from tests.service.running import in_hours
from tests.service.test_envelope import fields

X: Final = "x-by-hand"


@pytest.fixture
def places(stage: Stage) -> Places:
    return Places(stage)


def connected(places: Places, handle: str = "mira", platform: str = X) -> dict[str, Any]:
    answer = places.connect(handle, "", platform)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def due(places: Places, place: dict[str, Any]) -> str:
    """A post that the user was asked to publish; its address."""
    post = places.created(place, platform=X)
    address = f"{places.base}/posts/{post['id']}"
    wait_for(lambda: places.http.get(address).json(), lambda found: found["status"] == "processing")
    return address


def attempts(places: Places, address: str) -> list[dict[str, Any]]:
    path = address.replace("/places/posts/", "/posts/")
    found: list[dict[str, Any]] = places.http.get(f"{path}/attempts").json()["data"]
    return found


@pytest.mark.parametrize("card", BY_HAND, ids=lambda card: card.key)
def test_an_account_of_each_platform_takes_posts(places: Places, card: Card) -> None:
    place = connected(places, "@Mira", card.key)
    assert (place["username"], place["is_available"], place["token_expires_at"]) == ("Mira", True, None)
    assert connected(places, "mira", card.key)["id"] == place["id"]
    assert card.posts is not None
    if "text" in card.posts.post_types:
        planned = places.created(place, platform=card.key, scheduled_at=in_hours(2))
        assert planned["status"] == "scheduled"


@pytest.mark.parametrize(
    ("handle", "password", "field"),
    [(" @ ", "", "handle"), ("x" * 201, "", "handle"), ("mira", "abcd-efgh-2345-6789", "app_password")],
)
def test_what_cannot_be_connected(places: Places, handle: str, password: str, field: str) -> None:
    answer = places.connect(handle, password, X)
    assert (answer.status_code, list(fields(answer))) == (400, [field])


def test_a_due_post_waits_for_the_user_and_is_finished(places: Places) -> None:
    place = connected(places)
    address = due(places, place)
    done = places.http.put(f"{address}/finished", json={"url": "https://x.com/mira/status/1"})
    assert (done.status_code, done.json()["status"]) == (200, "posted")
    assert places.http.put(f"{address}/finished", json={}).status_code == 400
    [content] = [
        one for one in places.listed("/content-history") if one["scheduled_post_id"] == done.json()["id"]
    ]
    [attempt] = attempts(places, address)
    assert (attempt["step"], attempt["outcome"]) == ("hand_over", "published")
    assert attempt["content_url"] == "https://x.com/mira/status/1"

    back = places.http.delete(f"{address}/finished")
    assert (back.status_code, back.json()["status"], back.json()["posted_at"]) == (200, "processing", None)
    assert content["id"] not in [one["id"] for one in places.listed("/content-history")]
    assert places.http.delete(f"{address}/finished").status_code == 400


def test_a_due_post_is_moved_and_skipped(places: Places) -> None:
    place = connected(places)
    address = due(places, place)
    moved = places.http.patch(address, json={"scheduled_at": in_hours(1)})
    assert (moved.status_code, moved.json()["status"]) == (200, "scheduled")
    skipped = due(places, place)
    assert places.http.delete(skipped).json()["action"] == "cancelled"
    assert places.http.get(skipped).json()["status"] == "cancelled"


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "x.com/mira", 7])
def test_only_web_addresses_are_accepted(places: Places, url: object) -> None:
    address = due(places, connected(places))
    answer = places.http.put(f"{address}/finished", json={"url": url})
    assert (answer.status_code, list(fields(answer))) == (400, ["url"])


def test_v1_shows_nothing_of_it(places: Places) -> None:
    place = connected(places, "hidden")
    address = due(places, place)
    done = places.http.put(f"{address}/finished", json={"url": "https://x.com/hidden/status/1"}).json()
    paths = ("/posts", "/connections?include_unavailable=true", "/content-history", "/analytics", "/usage")
    shown = "".join(places.http.get(path).text for path in paths)
    assert not [word for word in (X, place["id"], done["id"], "hidden") if word in shown]
    assert places.http.get(f"/posts/{done['id']}").status_code == 404


def test_a_disconnected_account_keeps_its_posts(places: Places) -> None:
    place = connected(places, "leaves")
    places.created(place, platform=X, scheduled_at=in_hours(2))
    answer = places.http.delete(f"{places.base}/{place['id']}")
    assert (answer.status_code, answer.json()["is_available"]) == (200, False)
    again = connected(places, "leaves")
    assert (again["id"], again["is_available"]) == (place["id"], True)


def test_nobody_is_asked_to_publish_for_a_disconnected_account(places: Places) -> None:
    place = connected(places, "left")
    post = places.created(place, platform=X, scheduled_at=in_hours(2))
    places.http.delete(f"{places.base}/{place['id']}")
    address = f"{places.base}/posts/{post['id']}"
    places.http.patch(address, json={"scheduled_at": in_hours(2 / 3600)})
    tried = wait_for(lambda: attempts(places, address), bool)
    assert [(one["step"], one["outcome"]) for one in tried] == [("authorize", "refused")]
    assert places.http.get(address).json()["status"] == "scheduled"
    connected(places, "left")
    wait_for(lambda: places.http.get(address).json(), lambda found: found["status"] == "processing")
