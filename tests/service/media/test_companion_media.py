"""``/companion/v1/media``: what is stored, what it is, and who uses it."""

from typing import Any

import httpx
import pytest

from tests.service.media.samples import image, video
from tests.service.media.shelf import Shelf, refusal
from tests.service.media.test_removal import planned

pytestmark = pytest.mark.parametrize("service", ["folder", "bucket"], indirect=True)


PATH = "/companion/v1/media"


def call(shelf: Shelf, method: str, path: str = "", **options: Any) -> httpx.Response:
    return shelf.caller.http.request(method, f"{shelf.service.base_url}{PATH}{path}", **options)


def test_files_are_listed_newest_first(shelf: Shelf) -> None:
    picture = shelf.store(image())
    film = shelf.store(video(), "clip.mp4", "video/mp4")
    shelf.announce(10)  # not there yet, so not listed
    while shelf.service.await_(shelf.parts.prober.probe_some):
        pass
    page = call(shelf, "GET").json()

    assert page["next_cursor"] is None
    assert [file["storage_path"] for file in page["data"]] == [film, picture]
    assert {**page["data"][0], "created_at": ""} == {
        "storage_path": film,
        "filename": "clip.mp4",
        "kind": "video",
        "content_type": "video/mp4",
        "size_bytes": len(video()),
        "width": 64,
        "height": 48,
        "duration_ms": 500,
        "alt_text": None,
        "cover_ms": None,
        "tiktok": None,
        "created_at": "",
        "used_in": [],
    }


def test_pages_hold_each_file_once(shelf: Shelf) -> None:
    paths = {shelf.store() for _ in range(5)}
    seen: list[str] = []
    cursor = None
    while cursor is not None or not seen:
        page = call(shelf, "GET", params={"limit": 2, **({"cursor": cursor} if cursor else {})}).json()
        seen += [file["storage_path"] for file in page["data"]]
        cursor = page["next_cursor"]

    assert len(seen) == 5
    assert set(seen) == paths


def test_each_file_says_who_uses_it(shelf: Shelf) -> None:
    page = shelf.caller.connect("facebook")
    used, unused = shelf.store(), shelf.store()
    users = {planned(shelf, page, used), planned(shelf, page, used, "posted")}
    listed = {file["storage_path"]: set(file["used_in"]) for file in call(shelf, "GET").json()["data"]}

    assert listed == {used: users, unused: set()}


def test_others_see_none_of_it(shelf: Shelf, stranger: Shelf) -> None:
    path = shelf.store()

    assert call(stranger, "GET").json()["data"] == []
    refusal(call(stranger, "PATCH", f"/{path}", json={"alt_text": "mine"}), 403)
    assert shelf.rows()[0]["alt_text"] is None


def test_words_are_kept_changed_and_taken_away(shelf: Shelf) -> None:
    path = shelf.store()
    for words in ("Wool drying in the sun", "x" * 1000, "Wolle 🧶\nzweite Zeile", "", None):
        changed = call(shelf, "PATCH", f"/{path}", json={"alt_text": words})
        assert (changed.status_code, changed.json()["alt_text"]) == (200, words)
        assert call(shelf, "GET").json()["data"] == [changed.json()]


@pytest.mark.parametrize("body", [{"alt_text": 5}, {"alt_text": "x" * 1001}, {"alt_text": "a\0b"}])
def test_words_that_cannot_be_are_refused(shelf: Shelf, body: dict[str, object]) -> None:
    answer = call(shelf, "PATCH", f"/{shelf.store()}", json=body)

    assert [issue["field"] for issue in refusal(answer, 400)["details"]["errors"]] == ["alt_text"]


def test_words_and_cover_are_told_apart(shelf: Shelf) -> None:
    path = shelf.store()
    for told in (
        {"cover_ms": 4_200},
        {"alt_text": "Wool"},
        {"cover_ms": None},
        {"alt_text": None, "cover_ms": 0},
    ):
        before = call(shelf, "GET").json()["data"][0]
        changed = call(shelf, "PATCH", f"/{path}", json=told)
        assert changed.status_code == 200
        assert changed.json() == before | told
        assert call(shelf, "GET").json()["data"] == [changed.json()]


@pytest.mark.parametrize("body", [{}, {"cover_ms": -1}, {"cover_ms": 10**10}, {"cover_ms": "soon"}])
def test_no_word_and_no_moment_are_refused(shelf: Shelf, body: dict[str, object]) -> None:
    path = shelf.store()
    refusal(call(shelf, "PATCH", f"/{path}", json=body), 400)
    assert shelf.rows()[0]["cover_ms"] is None


def test_only_what_is_stored_can_be_described(shelf: Shelf) -> None:
    for path in (shelf.announce(10)["storage_path"], f"{shelf.caller.account_id}/never.png"):
        refusal(call(shelf, "PATCH", f"/{path}", json={"alt_text": "x"}), 404)


def test_it_needs_a_key(shelf: Shelf) -> None:
    refusal(httpx.get(f"{shelf.service.base_url}{PATH}", verify=shelf.service.trust, trust_env=False), 401)
