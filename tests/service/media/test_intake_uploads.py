"""Upload links and what is PUT to them: exactly what was announced is kept, and nothing else is."""

import hashlib
import time
from collections.abc import Iterator
from datetime import timedelta

import httpx
import pytest

from tests.service.media.samples import HTML, SAMPLES, SVG, image, video
from tests.service.media.shelf import Shelf, refusal

pytestmark = pytest.mark.parametrize("service", ["folder", "bucket"], indirect=True)


PNG = image()
OTHER_PNG = image(colour="plum")


def test_a_link_is_given(shelf: Shelf) -> None:
    given = shelf.announce(1234, "Sommer am See.PNG")

    assert set(given) == {"upload_url", "storage_path", "token", "expires_in_seconds"}
    assert given["expires_in_seconds"] == 7200
    assert given["storage_path"].startswith(f"{shelf.caller.account_id}/Sommer-am-See-")
    url = httpx.URL(given["upload_url"])
    assert str(url).startswith(f"{shelf.service.base_url}/media/v1/{shelf.caller.account_id}/Sommer-am-See-")
    assert url.params["token"] == given["token"]
    assert shelf.names() == []
    assert shelf.used_bytes() == 0


@pytest.mark.parametrize("content_type", SAMPLES)
def test_every_kind_is_taken_whole(shelf: Shelf, content_type: str) -> None:
    data = SAMPLES[content_type]()
    given = shelf.announce(len(data), "file", content_type)
    answer = shelf.links.put(given["upload_url"], content=data)

    assert answer.status_code == 200, answer.text
    assert answer.json() == {
        "success": True,
        "storage_path": given["storage_path"],
        "content_type": content_type,
        "size_bytes": len(data),
    }
    (row,) = shelf.rows()
    assert row["sha256"] == hashlib.sha256(data).hexdigest()
    assert (row["size_bytes"], row["content_type"], row["expires_at"]) == (len(data), content_type, None)
    assert shelf.content(given["storage_path"]) == data
    assert shelf.used_bytes() == len(data)


@pytest.mark.parametrize("content_type", ["IMAGE/PNG", "image/apng"])
def test_other_words_for_a_kind_are_understood(shelf: Shelf, content_type: str) -> None:
    path = shelf.store(PNG, content_type=content_type)

    assert path.endswith(".png")


NASTY_NAMES = (
    "../../../etc/passwd",
    "..\\..\\windows\\system32\\config",
    "%2e%2e%2f%00.png",
    "a\0b\x1b[31m\r\nSet-Cookie: x.png",
    "\u202egnp.exe",
    "👩‍👩‍👧‍👦" * 23,
    "e\u0301" * 127,
    "x" * 255,
    "." * 255,
    " \t ",
    "CON.png",
    '"; rm -rf ~; echo ".png',
    "<script>alert(1)</script>.png",
    "?a=b&c=d#e.png",
    "صورة نهائية.png",
    "file:///etc/passwd",
)


@pytest.mark.parametrize("name", NASTY_NAMES)
def test_a_file_goes_all_the_way_whatever_it_is_called(shelf: Shelf, name: str) -> None:
    path = shelf.store(PNG, name)

    assert path.startswith(f"{shelf.caller.account_id}/")
    assert [f"{shelf.caller.account_id}/{stored}" for stored in shelf.names()] == [path]
    shown = shelf.links.get(shelf.view_url(path))
    assert shown.content == PNG
    assert "set-cookie" not in shown.headers
    assert shelf.caller.http.delete(f"/media/{path}").json() == {"storage_path": path, "deleted": True}
    assert shelf.names() == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"filename": ""}, "filename"),
        ({"filename": "x" * 256}, "filename"),
        ({"filename": None}, "filename"),
        ({"filename": 5}, "filename"),
        ({"content_type": "text/html"}, "content_type"),
        ({"content_type": "image/svg+xml"}, "content_type"),
        ({"content_type": "application/octet-stream"}, "content_type"),
        ({"content_type": "image/"}, "content_type"),
        ({"content_type": "image/png\n"}, "content_type"),
        ({"content_type": "png"}, "content_type"),
        ({"content_type": "audio/mpeg"}, "content_type"),
        ({"size_bytes": 0}, "size_bytes"),
        ({"size_bytes": -1}, "size_bytes"),
        ({"size_bytes": 1.5}, "size_bytes"),
        ({"size_bytes": "12"}, "size_bytes"),
        ({"size_bytes": True}, "size_bytes"),
    ],
)
def test_what_cannot_be_is_refused(shelf: Shelf, change: dict[str, object], field: str) -> None:
    body = {"filename": "photo.png", "content_type": "image/png", "size_bytes": 10, **change}
    error = refusal(shelf.caller.http.post("/media/upload-url", json=body), 400)

    assert error["code"] == "validation_error"
    assert [issue["field"] for issue in error["details"]["errors"]] == [field]
    assert shelf.rows() == []


@pytest.mark.parametrize("missing", ["filename", "content_type", "size_bytes"])
def test_every_field_is_needed(shelf: Shelf, missing: str) -> None:
    body = {"filename": "photo.png", "content_type": "image/png", "size_bytes": 10}
    del body[missing]
    error = refusal(shelf.caller.http.post("/media/upload-url", json=body), 400)

    assert [issue["field"] for issue in error["details"]["errors"]] == [missing]


@pytest.mark.parametrize(
    ("content_type", "data"),
    [
        ("image/png", image("JPEG")),
        ("image/jpeg", PNG),
        ("image/png", video()),
        ("video/mp4", PNG),
        ("video/mp4", video("mov")),
        ("image/png", HTML),
        ("image/png", SVG),
        ("image/gif", b"GIF89"),
        ("image/png", b"\0" * 5000),
        ("image/png", b"%PDF-1.7" + b"x" * 50),
        ("image/png", b"PK\x03\x04" + b"x" * 50),
        ("video/mp4", b"\x00\x00\xff\xffftypisom" + b"\0" * 16),
    ],
)
def test_what_is_not_the_announced_kind_is_not_kept(shelf: Shelf, content_type: str, data: bytes) -> None:
    given = shelf.announce(len(data), "file", content_type)
    error = refusal(shelf.links.put(given["upload_url"], content=data), 400)

    assert error["code"] == "validation_error"
    assert content_type in error["message"]
    assert_nothing_is_kept(shelf, given["storage_path"])


@pytest.mark.parametrize("data", [PNG + b"x", PNG[:-1], b""])
@pytest.mark.parametrize("chunked", [True, False])
def test_another_length_is_refused(shelf: Shelf, data: bytes, chunked: bool) -> None:
    given = shelf.announce(len(PNG))
    content = iter([data]) if chunked else data
    error = refusal(shelf.links.put(given["upload_url"], content=content), 400)

    assert error["code"] == "validation_error"
    assert_nothing_is_kept(shelf, given["storage_path"])


def test_an_endless_upload_is_cut_off_where_it_becomes_too_long(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield PNG
        while sent < 512:
            sent += 1
            yield b"x" * 65536

    refusal(shelf.links.put(given["upload_url"], content=endless()), 400)
    assert_nothing_is_kept(shelf, given["storage_path"])


def assert_nothing_is_kept(shelf: Shelf, storage_path: str) -> None:
    assert shelf.names() == []
    assert shelf.used_bytes() == 0
    assert shelf.caller.http.get(f"/media/{storage_path}").status_code == 404


def test_a_refused_upload_can_be_sent_again(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    assert shelf.links.put(given["upload_url"], content=b"x" * len(PNG)).status_code == 400

    assert shelf.links.put(given["upload_url"], content=PNG).status_code == 200


def test_the_same_bytes_again_change_nothing(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    first = shelf.links.put(given["upload_url"], content=PNG)
    (row,) = shelf.rows()

    assert shelf.links.put(given["upload_url"], content=PNG).json() == first.json()
    assert shelf.rows() == [row]
    assert len(shelf.names()) == 1


def test_other_bytes_are_refused_once_there_are_some(shelf: Shelf) -> None:
    data = PNG + b"a"
    given = shelf.announce(len(data))
    shelf.links.put(given["upload_url"], content=data)
    error = refusal(shelf.links.put(given["upload_url"], content=PNG + b"b"), 400)

    assert "already" in error["message"]
    assert shelf.content(given["storage_path"]) == data


@pytest.mark.parametrize("name", ["token", "expires", "size", "type"])
@pytest.mark.parametrize("value", [None, "", "1", "x", "99999999999", "\0", "é"])
def test_a_bent_link_opens_nothing(shelf: Shelf, name: str, value: str | None) -> None:
    url = httpx.URL(shelf.announce(len(PNG))["upload_url"])
    bent = url.copy_remove_param(name) if value is None else url.copy_set_param(name, value)

    assert refusal(shelf.links.put(bent, content=PNG), 403)["code"] == "forbidden"
    assert shelf.names() == []


def test_a_link_is_good_for_its_own_path_alone(shelf: Shelf, stranger: Shelf) -> None:
    mine, theirs = shelf.announce(len(PNG)), stranger.announce(len(PNG))
    bent = mine["upload_url"].replace(mine["storage_path"], theirs["storage_path"])

    refusal(shelf.links.put(bent, content=PNG), 403)
    assert stranger.names() == []


def test_a_link_ends_after_two_hours(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    shelf.service.clock.ahead = timedelta(seconds=7195)
    assert shelf.links.put(given["upload_url"], content=PNG).status_code == 200
    shelf.service.clock.ahead = timedelta(seconds=7205)

    assert "expired" in refusal(shelf.links.put(given["upload_url"], content=PNG), 403)["message"]


def test_nothing_else_can_be_done_at_a_link(shelf: Shelf) -> None:
    url = shelf.announce(len(PNG))["upload_url"]

    for method in ("POST", "PATCH", "DELETE"):
        assert refusal(shelf.links.request(method, url), 404)["code"] == "not_found"


def test_an_upload_may_come_slowly_and_in_chunks(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    with shelf.raw(given["upload_url"], "Transfer-Encoding: chunked") as put:
        for start in range(0, len(PNG), 30):
            piece = PNG[start : start + 30]
            put.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            time.sleep(0.01)
        put.send(b"0\r\n\r\n")
        assert put.status() == 200
    assert shelf.used_bytes() == len(PNG)


def test_who_waits_for_a_go_ahead_gets_it_or_a_refusal(shelf: Shelf) -> None:
    url = shelf.announce(len(PNG))["upload_url"]
    with shelf.raw(url, f"Content-Length: {len(PNG)}", "Expect: 100-continue") as put:
        assert put.status() == 100
        put.send(PNG)
        assert put.status() == 200
    with shelf.raw(f"{url}x", f"Content-Length: {len(PNG)}", "Expect: 100-continue") as put:
        assert put.status() == 403


@pytest.mark.parametrize("sent", [10, 0])
def test_an_upload_that_stands_still_is_refused(shelf: Shelf, sent: int) -> None:
    uploads = shelf.parts.uploads
    given = shelf.announce(len(PNG))
    patience, uploads._idle = uploads._idle, timedelta(milliseconds=50)
    try:
        with shelf.raw(given["upload_url"], f"Content-Length: {len(PNG)}") as put:
            put.send(PNG[:sent])
            assert put.status() == 400
    finally:
        uploads._idle = patience
    assert_nothing_is_kept(shelf, given["storage_path"])


def test_an_upload_that_was_given_up_is_over(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    assert shelf.caller.http.delete(f"/media/{given['storage_path']}").json()["deleted"] is True

    refusal(shelf.links.put(given["upload_url"], content=PNG), 404)
    assert shelf.names() == []
