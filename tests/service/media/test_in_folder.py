"""What uploads and removals leave in a folder while they are under way."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from app.service.media import rows
from tests.service.media.samples import image
from tests.service.media.shelf import RawPut, Shelf, refusal, wait_until
from tests.service.media.test_intake_uploads import assert_nothing_is_kept
from tests.service.media.test_removal import delete

PNG = image()


def test_an_upload_that_is_cut_off_leaves_nothing(shelf: Shelf) -> None:
    data = PNG + b"\0" * 3_000_000
    given = shelf.announce(len(data))
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as put:
        put.send(data[:2_500_000])
        wait_until(lambda: bool(shelf.names()))
        assert all(name.endswith(".part") for name in shelf.names())
        assert shelf.caller.http.get(f"/media/{given['storage_path']}").status_code == 404
    wait_until(lambda: not shelf.names())

    assert_nothing_is_kept(shelf, given["storage_path"])
    assert shelf.links.put(given["upload_url"], content=data).status_code == 200


def test_a_later_upload_takes_over_from_one_that_hangs(shelf: Shelf) -> None:
    data = PNG + b"\0" * 2_000_000
    given = shelf.announce(len(data))
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as hanging:
        hanging.send(data[:1_500_000])
        wait_until(lambda: bool(shelf.names()))
        assert shelf.links.put(given["upload_url"], content=data).status_code == 200
        hanging.send(data[1_500_000:])
        assert hanging.status() in {200, 400}
    wait_until(lambda: len(shelf.names()) == 1)
    assert [file.read_bytes() for file in shelf.folder.iterdir()] == [data]


def test_many_uploads_to_one_link_take_no_more_room_than_one(shelf: Shelf) -> None:
    data = PNG + b"\0" * 3_000_000
    url = shelf.announce(len(data))["upload_url"]
    with ExitStack() as stack:
        earlier: RawPut | None = None
        for _ in range(8):
            put = stack.enter_context(shelf.raw(url, f"Content-Length: {len(data)}"))
            put.send(data[:-1])
            if earlier is not None:
                assert earlier.status() == 400
            wait_until(lambda: bool(shelf.names()))
            assert sum(file.stat().st_size for file in shelf.folder.iterdir()) < len(data)
            earlier = put
        put.send(data[-1:])
        assert put.status() == 200
    assert [file.read_bytes() for file in shelf.folder.iterdir()] == [data]


def test_uploads_that_begin_together_end_with_one_file(shelf: Shelf) -> None:
    data = PNG + b"\0" * 1_000_000
    url = shelf.announce(len(data))["upload_url"]
    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(lambda _: shelf.links.put(url, content=data).status_code, range(6)))

    assert set(statuses) <= {200, 400}
    assert 200 in statuses
    assert [file.read_bytes() for file in shelf.folder.iterdir()] == [data]
    assert not shelf.parts.uploads._turns
    assert not shelf.parts.uploads._locks


def test_an_upload_that_is_longer_than_announced_ends_at_once(shelf: Shelf) -> None:
    data = PNG + b"\0" * 2_000_000
    url = shelf.announce(len(data) - 1_000_000)["upload_url"]
    with shelf.raw(url, "Transfer-Encoding: chunked") as put:
        put.send(f"{len(data):x}\r\n".encode() + data + b"\r\n")  # and never ends
        assert put.status() == 400
    assert shelf.names() == []


def test_giving_an_upload_up_ends_it_while_it_is_under_way(shelf: Shelf) -> None:
    data = PNG + b"\0" * 2_000_000
    given = shelf.announce(len(data))
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as put:
        put.send(data[:1_500_000])
        wait_until(lambda: bool(shelf.names()))
        assert delete(shelf, given["storage_path"]) is True
        assert put.status() == 404
    assert shelf.names() == []


@pytest.fixture
def holds_often(shelf: Shelf) -> Iterator[None]:
    """Uploads look after their room with every piece."""
    uploads = shelf.parts.uploads
    before, uploads._hold_every = uploads._hold_every, timedelta()
    yield
    uploads._hold_every = before


@pytest.mark.usefixtures("holds_often")
def test_a_slow_upload_keeps_its_room_when_its_link_expires(shelf: Shelf) -> None:
    data = PNG + b"\0" * 2_000_000
    shelf.cap(len(data))
    given = shelf.announce(len(data))
    [row] = shelf.rows()
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as put:
        shelf.service.clock.ahead = timedelta(seconds=7190)
        put.send(data[:1_500_000])
        wait_until(lambda: shelf.rows()[0]["expires_at"] > row["expires_at"])
        shelf.service.clock.ahead = timedelta(seconds=7210)
        refusal(shelf.ask(1), 403)
        put.send(data[1_500_000:])
        assert put.status() == 200
    assert shelf.used_bytes() == len(data)


@pytest.mark.parametrize(("gives_up", "status"), [(True, 404), (False, 403)])
def test_an_upload_ends_early_when_there_is_no_more_room_for_it(
    shelf: Shelf, gives_up: bool, status: int, request: pytest.FixtureRequest
) -> None:
    """``gives_up``: in another process, which can't end it."""
    data = PNG + b"\0" * 2_000_000
    shelf.cap(len(data))
    given = shelf.announce(len(data))
    with shelf.raw(given["upload_url"], f"Content-Length: {len(data)}") as put:
        put.send(data[:1_200_000])
        wait_until(lambda: bool(shelf.names()))
        if gives_up:
            shelf.service.database.write_now(lambda opened: rows.remove(opened, given["storage_path"]))
        else:
            shelf.service.clock.ahead = timedelta(seconds=7300)
            shelf.announce(1)
        request.getfixturevalue("holds_often")
        # The interval is read when a piece is looked at, so one more may pass.
        put.send(data[1_200_000:1_900_000])
        assert put.status() == status
    wait_until(lambda: not shelf.names())


def test_no_link_is_kept_anywhere(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    shelf.links.put(given["upload_url"], content=PNG)
    token = given["token"].encode()
    view = httpx.URL(shelf.view_url(given["storage_path"])).params["token"].encode()

    for file in Path(shelf.service.folder.root).rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert token not in content
            assert view not in content


def test_a_file_that_cannot_be_unlinked_now_goes_with_the_next_sweep(shelf: Shelf) -> None:
    path = shelf.store()
    file = shelf.service.folder.media / path
    file.unlink()
    file.mkdir()  # what stands in the way of an unlink, whoever runs the tests

    assert delete(shelf, path) is True
    assert shelf.rows() == []
    file.rmdir()


def test_files_are_open_to_nobody_else(shelf: Shelf) -> None:
    file = shelf.service.folder.media / shelf.store(PNG)

    assert file.stat().st_mode & 0o077 == file.parent.stat().st_mode & 0o077 == 0


def test_an_upload_link_does_not_show_and_a_view_link_does_not_take(shelf: Shelf) -> None:
    given = shelf.announce(len(PNG))
    shelf.links.put(given["upload_url"], content=PNG)

    refusal(shelf.links.get(given["upload_url"]), 403)
    refusal(shelf.links.put(shelf.view_url(given["storage_path"]), content=PNG), 403)
