"""What uploads and removals leave in a folder while they are under way."""

from pathlib import Path

import httpx

from tests.service.media.samples import image
from tests.service.media.shelf import Shelf, refusal, wait_until
from tests.service.media.test_removal import delete
from tests.service.media.test_uploads import assert_nothing_is_kept

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
