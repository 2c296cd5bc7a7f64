"""What keeps a file, and what takes it away."""

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from app.service.store.tables import posts
from tests.service.media.samples import image, video
from tests.service.media.shelf import Shelf, refusal
from tests.service.running import in_hours

pytestmark = pytest.mark.parametrize("service", ["folder", "bucket"], indirect=True)


@pytest.fixture
def page(shelf: Shelf) -> str:
    """A connected account that takes images and videos."""
    return shelf.caller.connect("facebook")


def plan(shelf: Shelf, page: str, path: str, post_type: str = "image", **fields: Any) -> httpx.Response:
    body = shelf.caller.post_body(
        page, platform="facebook", post_type=post_type, media_storage_path=path, **fields
    )
    return shelf.caller.http.post("/posts", json=body)


def planned(shelf: Shelf, page: str, path: str, status: str = "scheduled") -> str:
    """Stores a post with a file directly, whatever can be published today; gives its id."""
    now, post_id = shelf.service.clock(), uuid4()
    row = {
        "id": post_id,
        "account_id": shelf.caller.account_id,
        "connection_id": UUID(page),
        "platform": "facebook",
        "post_type": "image",
        "status": status,
        "media_storage_path": path,
        "scheduled_at": now + timedelta(hours=1),
        "created_via": "rest",
        "created_at": now,
    }
    shelf.service.database.write_now(lambda rows: rows.execute(posts.insert().values(row)))
    return str(post_id)


def complaints(answer: httpx.Response) -> set[str]:
    """The fields that a refusal names; none of what was accepted."""
    return (
        set()
        if answer.status_code == 201
        else {one["field"] for one in refusal(answer, 400)["details"]["errors"]}
    )


def delete(shelf: Shelf, path: str) -> bool:
    answer = shelf.caller.http.delete(f"/media/{path}")
    assert answer.status_code == 200, answer.text
    assert set(answer.json()) == {"storage_path", "deleted"}
    assert answer.json()["storage_path"] == path
    return bool(answer.json()["deleted"])


def test_an_unused_file_goes_with_its_row(shelf: Shelf) -> None:
    path = shelf.store()

    assert delete(shelf, path) is True
    assert (shelf.names(), shelf.rows(), shelf.used_bytes()) == ([], [], 0)
    refusal(shelf.caller.http.delete(f"/media/{path}"), 404)


@pytest.mark.parametrize(
    ("status", "removable"),
    [
        ("scheduled", False),
        ("queued", False),
        ("processing", False),
        ("posted", True),
        ("failed", True),
        ("cancelled", True),
    ],
)
def test_pending_posts_keep_their_file(shelf: Shelf, page: str, status: str, removable: bool) -> None:
    path = shelf.store()
    planned(shelf, page, path, status)

    assert delete(shelf, path) is removable
    assert bool(shelf.names()) is not removable


def test_one_pending_post_of_many_is_enough(shelf: Shelf, page: str) -> None:
    path = shelf.store()
    for status in ("posted", "scheduled", "cancelled"):
        planned(shelf, page, path, status)

    assert delete(shelf, path) is False


def test_a_post_of_somebody_else_keeps_nothing(shelf: Shelf, stranger: Shelf) -> None:
    path = shelf.store()
    planned(stranger, stranger.caller.connect("facebook"), stranger.store())

    assert delete(shelf, path) is True


def test_a_hard_delete_takes_the_file_along(shelf: Shelf, page: str) -> None:
    path = shelf.store()
    post_id = planned(shelf, page, path)
    assert shelf.caller.http.delete(f"/posts/{post_id}").json()["action"] == "cancelled"
    assert len(shelf.names()) == 1
    assert shelf.caller.http.delete(f"/posts/{post_id}", params={"hard": True}).json()["action"] == "deleted"

    assert (shelf.names(), shelf.rows(), shelf.used_bytes()) == ([], [], 0)


def test_a_hard_delete_leaves_a_file_that_another_post_has(shelf: Shelf, page: str) -> None:
    path = shelf.store()
    first, second = planned(shelf, page, path), planned(shelf, page, path, "posted")
    shelf.caller.http.delete(f"/posts/{first}", params={"hard": True})
    assert len(shelf.names()) == 1
    shelf.caller.http.delete(f"/posts/{second}", params={"hard": True})

    assert shelf.names() == []


def test_a_hard_delete_of_a_text_touches_no_file(shelf: Shelf) -> None:
    shelf.store()
    post_id = shelf.caller.create(shelf.caller.connect("linkedin"))["id"]
    shelf.caller.http.delete(f"/posts/{post_id}", params={"hard": True})

    assert len(shelf.names()) == 1


def test_a_post_needs_a_file_that_is_there(shelf: Shelf, page: str) -> None:
    own = shelf.caller.account_id
    removed = shelf.store()
    delete(shelf, removed)
    for path in (f"{own}/never.png", shelf.announce(10)["storage_path"], removed, f"{own}/", f"{own}/\0"):
        error = refusal(plan(shelf, page, path), 400)
        assert [issue["field"] for issue in error["details"]["errors"]] == ["media_storage_path"]


def test_a_post_may_not_use_the_file_of_somebody_else(shelf: Shelf, stranger: Shelf, page: str) -> None:
    for path in (stranger.store(), f"{stranger.caller.account_id}/never.png", "never.png", "../x"):
        assert refusal(plan(shelf, page, path), 403)["code"] == "forbidden"


def test_the_file_must_be_of_the_posts_kind(shelf: Shelf, page: str) -> None:
    picture, film = shelf.store(), shelf.store(video(), "clip.mp4", "video/mp4")

    for path, post_type in ((picture, "video"), (film, "image")):
        assert "media_storage_path" in complaints(plan(shelf, page, path, post_type))
    assert "media_storage_path" not in complaints(plan(shelf, page, picture, "image"))
    assert "media_storage_path" not in complaints(plan(shelf, page, film, "video"))


def test_a_cancelled_post_is_not_resumed_without_its_file(shelf: Shelf, page: str) -> None:
    kept, gone = shelf.store(), shelf.store(image(colour="plum"))
    posts_ = {path: planned(shelf, page, path) for path in (kept, gone)}
    for post_id in posts_.values():
        shelf.caller.http.delete(f"/posts/{post_id}")
    assert delete(shelf, gone) is True

    later = {"scheduled_at": in_hours(5)}
    assert shelf.caller.http.patch(f"/posts/{posts_[kept]}", json=later).status_code == 200
    error = refusal(shelf.caller.http.patch(f"/posts/{posts_[gone]}", json=later), 400)
    assert "file" in error["message"]
    assert shelf.caller.http.get(f"/posts/{posts_[gone]}").json()["status"] == "cancelled"
