"""View links: who may have one, and what it shows."""

from datetime import timedelta
from urllib.parse import quote

import httpx
import pytest

from app.service.store.tables import media
from tests.service.media.samples import image, video
from tests.service.media.shelf import Shelf, refusal

PNG = image()
SIZE = len(PNG)


def test_a_stored_file_is_shown(shelf: Shelf) -> None:
    path = shelf.store(PNG, "Zürich 1.png")
    answer = shelf.caller.http.get(f"/media/{path}")

    assert set(answer.json()) == {"view_url", "expires_in_seconds"}
    assert answer.json()["expires_in_seconds"] == 300
    shown = shelf.links.get(answer.json()["view_url"])
    assert shown.status_code == 200
    assert shown.content == PNG
    assert shown.headers["content-type"] == "image/png"
    assert shown.headers["content-length"] == str(SIZE)
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert shown.headers["accept-ranges"] == "bytes"
    assert shown.headers["content-disposition"] == f"inline; filename*=utf-8''{quote('Zürich 1.png')}"
    policy = shown.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


def test_a_video_keeps_its_type(shelf: Shelf) -> None:
    path = shelf.store(video(), "clip.mp4", "video/mp4")

    assert shelf.links.get(shelf.view_url(path)).headers["content-type"] == "video/mp4"


def test_the_path_may_be_written_with_escapes(shelf: Shelf) -> None:
    path = shelf.store(PNG, "a b ü'.png")

    for written in (quote(path), quote(path, safe="")):
        assert shelf.caller.http.get(f"/media/{written}").status_code == 200


def older_path(shelf: Shelf) -> str:
    """A file as it was stored before paths were made for URLs."""
    path = shelf.store(PNG)
    older = f"{shelf.caller.account_id}/Zürich am See (2)-0a1b2c3d.png"
    (shelf.service.folder.media / path).rename(shelf.service.folder.media / older)
    named = media.update().where(media.c.storage_path == path).values(storage_path=older, filename=None)
    shelf.service.database.write_now(lambda opened: opened.execute(named))
    return older


def test_an_older_path_with_blanks_keeps_working(shelf: Shelf) -> None:
    path = older_path(shelf)
    shown = shelf.links.get(shelf.view_url(quote(path)))

    assert shown.content == PNG
    assert shown.headers["content-disposition"] == (
        f"inline; filename*=utf-8''{quote(path.partition('/')[2])}"
    )
    shelf.parts.sweeper.sweep()
    assert shelf.names() == [path.partition("/")[2]]
    assert shelf.caller.http.delete(f"/media/{quote(path)}").json()["deleted"] is True
    assert shelf.names() == []


def test_head_tells_without_showing(shelf: Shelf) -> None:
    answer = shelf.links.head(shelf.view_url(shelf.store(PNG)))

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(SIZE)


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=5-9", 5, 10),
        ("bytes=10-", 10, SIZE),
        ("bytes=-7", SIZE - 7, SIZE),
        ("bytes=0-99999", 0, SIZE),
        ("bytes=-99999", 0, SIZE),
    ],
)
def test_parts_are_shown(shelf: Shelf, asked: str, first: int, last: int) -> None:
    answer = shelf.links.get(shelf.view_url(shelf.store(PNG)), headers={"Range": asked})

    assert answer.status_code == 206
    assert answer.content == PNG[first:last]
    assert answer.headers["content-range"] == f"bytes {first}-{last - 1}/{SIZE}"


@pytest.mark.parametrize(
    "asked",
    [
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=9-5",
        "bytes=a-b",
        "lines=1-2",
        "bytes=1-2,4-5",
        "bytes=--5",
        "x" * 99,
    ],
)
def test_what_is_no_range_is_not_looked_at(shelf: Shelf, asked: str) -> None:
    answer = shelf.links.get(shelf.view_url(shelf.store(PNG)), headers={"Range": asked})

    assert (answer.status_code, answer.content) == (200, PNG)


@pytest.mark.parametrize(
    "asked", [f"bytes={SIZE}-", f"bytes={SIZE + 5}-{SIZE + 9}", "bytes=-0", "bytes=-000"]
)
def test_beyond_the_end_there_is_nothing(shelf: Shelf, asked: str) -> None:
    answer = shelf.links.get(shelf.view_url(shelf.store(PNG)), headers={"Range": asked})

    assert str(SIZE) in refusal(answer, 416)["message"]
    assert answer.headers["content-range"] == f"bytes */{SIZE}"


def test_a_range_of_a_file_that_changed_is_the_whole(shelf: Shelf) -> None:
    url = shelf.view_url(shelf.store(PNG))
    etag = shelf.links.head(url).headers["etag"]

    again = shelf.links.get(url, headers={"Range": "bytes=0-3", "If-Range": etag})
    assert again.status_code == 206
    other = shelf.links.get(url, headers={"Range": "bytes=0-3", "If-Range": '"other"'})
    assert other.status_code == 200


@pytest.mark.parametrize("seconds", [1, 300, 3600])
def test_a_link_lives_as_long_as_was_asked(shelf: Shelf, seconds: int) -> None:
    url = shelf.view_url(shelf.store(PNG), expires_in_seconds=seconds)

    shelf.service.clock.ahead = timedelta(seconds=seconds + 1.1)
    assert "expired" in refusal(shelf.links.get(url), 403)["message"]
    shelf.service.clock.ahead = timedelta()
    if seconds > 1:
        assert shelf.links.get(url).status_code == 200


@pytest.mark.parametrize("seconds", ["0", "-1", "3601", "1.5", "x", "9" * 30])
def test_other_lifetimes_are_refused(shelf: Shelf, seconds: str) -> None:
    answer = shelf.caller.http.get(f"/media/{shelf.store(PNG)}", params={"expires_in_seconds": seconds})

    assert [issue["field"] for issue in refusal(answer, 400)["details"]["errors"]] == ["expires_in_seconds"]


@pytest.mark.parametrize("name", ["token", "expires"])
@pytest.mark.parametrize("value", [None, "", "1", "x", "99999999999", "\0", "é"])
def test_a_bent_link_shows_nothing(shelf: Shelf, name: str, value: str | None) -> None:
    url = httpx.URL(shelf.view_url(shelf.store(PNG)))
    bent = url.copy_remove_param(name) if value is None else url.copy_set_param(name, value)

    assert refusal(shelf.links.get(bent), 403)["code"] == "forbidden"


def test_a_link_shows_its_own_file_alone(shelf: Shelf, stranger: Shelf) -> None:
    mine, theirs = shelf.store(PNG), stranger.store(PNG)

    refusal(shelf.links.get(shelf.view_url(mine).replace(mine, theirs)), 403)


def test_paths_outside_the_account_are_forbidden(shelf: Shelf, stranger: Shelf) -> None:
    theirs, own = stranger.store(PNG), shelf.caller.account_id
    outside = [
        theirs,
        f"{stranger.caller.account_id}/never.png",
        "name.png",
        "upload-url",
        f"%2e%2e/{theirs}",
        f"{own}x/a.png",
        f"{str(own).upper()}/a.png" if str(own).upper() != str(own) else "x/y",
        f"%2F{own}/a.png",
    ]
    for path in outside:
        for method in ("GET", "DELETE"):
            answer = shelf.caller.http.request(method, f"/media/{path}")
            assert refusal(answer, 403)["code"] == "forbidden", path
    assert stranger.links.get(stranger.view_url(theirs)).status_code == 200


def test_unknown_paths_of_the_account_are_not_found(shelf: Shelf, stranger: Shelf) -> None:
    theirs, own = stranger.store(PNG), shelf.caller.account_id
    unknown = ["", "never.png", f"%2e%2e/{theirs}", f"..%2f{theirs}", "a%00b.png", "%ff.png", "x" * 3000]
    for name in unknown:
        for method in ("GET", "DELETE"):
            answer = shelf.caller.http.request(method, f"/media/{own}/{name}")
            assert refusal(answer, 404)["code"] == "not_found", name


def test_before_the_upload_there_is_nothing_to_see(shelf: Shelf) -> None:
    refusal(shelf.caller.http.get(f"/media/{shelf.announce(SIZE)['storage_path']}"), 404)


def test_a_removed_file_is_not_shown_by_an_old_link(shelf: Shelf) -> None:
    path = shelf.store(PNG)
    url = shelf.view_url(path)
    shelf.caller.http.delete(f"/media/{path}")

    refusal(shelf.links.get(url), 404)


def test_a_file_that_somebody_took_away_is_not_found(shelf: Shelf) -> None:
    path = shelf.store(PNG)
    (shelf.service.folder.media / path).unlink()

    refusal(shelf.links.get(shelf.view_url(path)), 404)


def test_a_large_file_is_shown_whole(shelf: Shelf) -> None:
    data = PNG + bytes(range(256)) * 4096

    assert shelf.links.get(shelf.view_url(shelf.store(data))).content == data
