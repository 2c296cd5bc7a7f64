"""Imports: images and videos from public addresses, and nothing else from anywhere else."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.service.accounts.accounts import Plan, change_account
from app.service.media.imports import AT_ONCE, PER_ACCOUNT
from app.service.settings import RunOptions
from tests.service.media.origins import Origin, serving
from tests.service.media.samples import HTML, SAMPLES, SVG, image, video
from tests.service.media.shelf import Shelf, refusal, wait_until
from tests.service.running import RunningService, run_service

PNG = image()


@pytest.fixture(scope="session")
def _importing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service that may reach this machine, as a closed network's may."""
    run = RunOptions(practice_url="http://practice.invalid", allow_private_network=True)
    with run_service(tmp_path_factory.mktemp("importing"), {}, run) as service:
        yield service


@pytest.fixture
def shelf(_importing: RunningService) -> Iterator[Shelf]:
    """A shelf on the service that may reach this machine."""
    with httpx.Client(verify=_importing.trust, trust_env=False, timeout=20) as links:
        yield Shelf(_importing.new_caller(), links)
    _importing.forget_callers()


@pytest.fixture(scope="session")
def _origin() -> Iterator[Origin]:
    with serving() as origin:
        yield origin


@pytest.fixture
def origin(_origin: Origin) -> Origin:
    """A web server without pages."""
    _origin.pages.clear()
    _origin.asked.clear()
    return _origin


def attach(shelf: Shelf, url: str, **fields: Any) -> httpx.Response:
    return shelf.caller.http.post("/media/attach-from-url", json={"url": url, **fields}, timeout=60)


def refused(shelf: Shelf, url: str) -> str:
    """Why an import is refused: always about the URL, and nothing is kept."""
    error = refusal(attach(shelf, url), 400)
    assert error["code"] == "validation_error"
    (issue,) = error["details"]["errors"]
    assert issue["field"] == "url"
    assert (shelf.names(), shelf.rows(), shelf.used_bytes()) == ([], [], 0)
    return str(issue["message"])


@pytest.mark.parametrize("content_type", SAMPLES)
@pytest.mark.parametrize("told", [True, False])
def test_every_kind_is_imported_whole(shelf: Shelf, origin: Origin, content_type: str, told: bool) -> None:
    data = SAMPLES[content_type]()
    answer = attach(shelf, origin.add("/a/wool.bin", data, content_type=content_type, told=told))

    assert answer.status_code == 200, answer.text
    path = answer.json()["storage_path"]
    assert answer.json() == {
        "success": True,
        "storage_path": path,
        "content_type": content_type,
        "size_bytes": len(data),
    }
    assert path.startswith(f"{shelf.caller.account_id}/wool-")
    assert (shelf.service.folder.media / path).read_bytes() == data
    assert shelf.used_bytes() == len(data)
    assert shelf.links.get(shelf.view_url(path)).content == data
    (row,) = shelf.rows()
    assert (row["size_bytes"], row["expires_at"]) == (len(data), None)


def test_a_name_may_be_given(shelf: Shelf, origin: Origin) -> None:
    answer = attach(shelf, origin.add("/x.gif", PNG), filename="../Wolle ü.gif")

    name = answer.json()["storage_path"].partition("/")[2]
    assert name.startswith("Wolle-u-")
    assert [row["filename"] for row in shelf.rows()] == ["Wolle ü.png"]
    assert name.endswith(".png")  # what it is, whatever it is called


@pytest.mark.parametrize(
    "path", ["/", "/%2e%2e%2f", "/" + "x" * 1500, "/%ff%00%0a.png", "/a/..%5c..%5cb.png"]
)
def test_a_name_is_made_of_whatever_the_address_is(shelf: Shelf, origin: Origin, path: str) -> None:
    answer = attach(shelf, origin.add(path, PNG))

    assert answer.status_code == 200, answer.text
    assert len(shelf.names()) == 1


def test_a_wrong_word_for_a_picture_is_put_right(shelf: Shelf, origin: Origin) -> None:
    assert attach(shelf, origin.add("/a.jpg", PNG, content_type="image/jpeg; x=1")).json()[
        "content_type"
    ] == ("image/png")


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("text/html", PNG),
        ("application/octet-stream", PNG),
        (None, PNG),
        ("image/svg+xml", SVG),
        ("image/png", SVG),
        ("image/png", HTML),
        ("image/png", b""),
        ("image/png", video()),
        ("video/mp4", PNG),
        ("audio/mpeg", b"ID3\x03" + b"\0" * 100),
        ("image/x-icon", b"\0\0\1\0" + b"\0" * 100),
    ],
)
def test_only_images_and_videos_are_taken(
    shelf: Shelf, origin: Origin, content_type: str | None, body: bytes
) -> None:
    refused(shelf, origin.add("/file", body, content_type=content_type))


@pytest.mark.parametrize("status", [201, 204, 206, 400, 401, 404, 500])
def test_only_a_whole_answer_counts(shelf: Shelf, origin: Origin, status: int) -> None:
    body = b"" if status == 204 else PNG
    assert str(status) in refused(shelf, origin.add("/a.png", body, status=status))


def test_three_redirects_are_followed_and_no_more(shelf: Shelf, origin: Origin) -> None:
    origin.add("/0.png", PNG)
    for step in range(1, 5):
        origin.add(f"/{step}.png", status=302, headers={"Location": f"/{step - 1}.png"})

    assert attach(shelf, f"{origin.base_url}/3.png").status_code == 200
    answer = refusal(attach(shelf, f"{origin.base_url}/4.png"), 400)
    assert [issue["field"] for issue in answer["details"]["errors"]] == ["url"]


def test_a_file_that_breaks_off_is_not_kept(shelf: Shelf, origin: Origin) -> None:
    refused(shelf, origin.add("/a.png", PNG + b"\0" * 2_000_000, length=9_000_000))


@pytest.mark.parametrize("told", [True, False])
def test_what_is_longer_than_the_plan_allows_is_refused(shelf: Shelf, origin: Origin, told: bool) -> None:
    set_plan(shelf, "free")
    url = origin.add("/a.png", PNG, told=told, **({"length": 100_000_001} if told else {}))
    if told:
        assert "100000000" in refused(shelf, url)
    else:
        assert attach(shelf, url).status_code == 200


def set_plan(shelf: Shelf, plan: str) -> None:
    owner = shelf.caller.account_id
    shelf.service.database.write_now(lambda rows: change_account(rows, owner, plan=Plan(plan)))


@pytest.mark.parametrize("told", [True, False])
def test_what_does_not_fit_is_forbidden_and_not_kept(shelf: Shelf, origin: Origin, told: bool) -> None:
    data = PNG + b"\0" * 3_000_000
    shelf.cap(len(data) - 1)
    url = origin.add("/a.png", data, told=told)

    assert refusal(attach(shelf, url), 403)["code"] == "forbidden"
    assert (shelf.names(), shelf.rows(), shelf.used_bytes()) == ([], [], 0)
    shelf.cap(len(data))
    assert attach(shelf, url).status_code == 200
    assert shelf.used_bytes() == len(data)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": None},
        {"url": ""},
        {"url": "wool.png"},
        {"url": "ftp://example.com/a.png"},
        {"url": "file:///etc/passwd"},
        {"url": "https://"},
        {"url": 5},
    ],
)
def test_what_is_no_web_address_is_refused(shelf: Shelf, body: dict[str, object]) -> None:
    error = refusal(shelf.caller.http.post("/media/attach-from-url", json=body), 400)

    assert [issue["field"] for issue in error["details"]["errors"]] == ["url"]


@pytest.mark.parametrize("filename", ["", "x" * 256, None, 5])
def test_a_name_that_cannot_be_is_refused(shelf: Shelf, origin: Origin, filename: object) -> None:
    error = refusal(attach(shelf, origin.add("/a.png", PNG), filename=filename), 400)

    assert [issue["field"] for issue in error["details"]["errors"]] == ["filename"]
    assert origin.asked == []


def test_a_host_that_does_not_answer_is_said(shelf: Shelf) -> None:
    refused(shelf, "http://127.0.0.1:9/a.png")
    refused(shelf, "http://nowhere.invalid/a.png")


def test_the_address_is_not_kept(shelf: Shelf, origin: Origin) -> None:
    attach(shelf, origin.add("/a.png", PNG) + "?needle=needle-of-a-secret")

    for file in shelf.service.folder.root.rglob("*"):
        assert not file.is_file() or b"needle-of-a-secret" not in file.read_bytes()


LONG = PNG + b"\0" * 20_000


@contextmanager
def under_way(shelves: list[Shelf], origin: Origin) -> Iterator[list[Future[httpx.Response]]]:
    """Imports of files whose rest doesn't come until the block ends; then all of them succeed."""
    rest = threading.Event()
    url = origin.add("/slow.png", LONG, rest=rest)
    known = len(origin.asked)
    with ThreadPoolExecutor(len(shelves)) as pool:
        answers = [pool.submit(attach, shelf, url) for shelf in shelves]
        try:
            wait_until(lambda: len(origin.asked) - known == len(shelves))
            yield answers
        finally:
            rest.set()
    assert {answer.result().status_code for answer in answers} == {200}


def too_many(shelf: Shelf, url: str) -> None:
    answer = attach(shelf, url)
    error = refusal(answer, 429)
    assert error["code"] == "rate_limited"
    assert error["details"]["retry_after_seconds"] > 0
    assert int(answer.headers["retry-after"]) >= 1


def test_an_account_has_four_imports_at_once(shelf: Shelf, origin: Origin) -> None:
    other = Shelf(shelf.service.new_caller(), shelf.links)
    quick = origin.add("/quick.png", PNG)
    with under_way([shelf] * PER_ACCOUNT, origin):
        too_many(shelf, quick)
        assert attach(other, quick).status_code == 200
    for _ in range(PER_ACCOUNT + 1):  # one after the other there is no limit, whatever becomes of them
        assert attach(shelf, quick).status_code == 200
        refusal(attach(shelf, origin.base_url + "/none.png"), 400)


def test_an_import_that_is_under_way_holds_its_room(shelf: Shelf, origin: Origin) -> None:
    shelf.cap(len(LONG))
    with under_way([shelf], origin):
        wait_until(lambda: bool(shelf.rows()))
        assert refusal(shelf.ask(1), 403)["code"] == "forbidden"
    assert shelf.used_bytes() == len(LONG)


@pytest.mark.skipif(sys.platform != "linux", reason="counts open files as Linux shows them")
def test_of_two_hundred_slow_imports_few_are_under_way(shelf: Shelf, origin: Origin) -> None:
    """The others are refused, and the service answers other calls with few files open."""
    shelves = [Shelf(shelf.service.new_caller(), shelf.links) for _ in range(50)]
    slow, calls = origin.base_url + "/slow.png", 200 - AT_ONCE
    before = open_files()
    with under_way([one for one in shelves for _ in range(PER_ACCOUNT)][:AT_ONCE], origin):
        for number in range(calls):
            too_many(shelves[number % 50], slow)
        assert shelf.used_bytes() == 0
        assert open_files() - before < 10 * AT_ONCE
    assert len(origin.asked) == AT_ONCE


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_file_that_comes_too_slowly_is_refused(shelf: Shelf, origin: Origin) -> None:
    imports, rest = shelf.parts.imports, threading.Event()
    patience, imports._piece_within = imports._piece_within, timedelta(milliseconds=200)
    try:
        assert "slow" in refused(shelf, origin.add("/slow.png", LONG, rest=rest))
    finally:
        imports._piece_within = patience
        rest.set()
    assert attach(shelf, origin.add("/a.png", PNG)).status_code == 200


def test_every_half_megabyte_has_a_minute(shelf: Shelf) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(5):
            yield b"\0" * 300_000

    async def watch() -> list[bool]:
        """After which pieces the end was put off."""
        limit, put_off = asyncio.timeout(3600), []
        async with limit:
            end = limit.when()
            async for _ in shelf.parts.imports._fast_enough(pieces(), limit):
                put_off.append(limit.when() != end)
                end = limit.when()
            assert limit.when() is None  # what comes then is up to us
        return put_off

    assert shelf.service.await_(watch) == [False, True, False, True, False]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "0177.0.0.1", "2130706433", "[::1]", "127.1"])
def test_private_addresses_are_never_asked(
    service: RunningService, origin: Origin, links: httpx.Client, host: str
) -> None:
    origin.add("/a.png", PNG)
    shelf = Shelf(service.new_caller(), links)

    refused(shelf, origin.base_url.replace("127.0.0.1", host) + "/a.png")
    assert origin.asked == []
