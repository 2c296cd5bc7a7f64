"""Files as request bodies: however a request ends, its file is closed, and nothing waits for it."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from app.client.transfers import FileBody, Throttle
from app.client.wire import Wire


def is_open(path: Path) -> bool:
    """Whether this process has the file open."""
    links = []
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            links.append(each.readlink())
    return path in links


class SlowDisk(Throttle):
    """Blocks readers until they're released."""

    def __init__(self) -> None:
        super().__init__()
        self.is_read = threading.Event()
        self.may_go_on = threading.Event()

    def portion(self, most: int) -> int:
        self.is_read.set()
        self.may_go_on.wait()
        return most


def test_closing_does_not_wait_for_whoever_reads(tmp_path: Path) -> None:
    path = tmp_path / "film"
    path.write_bytes(b"film")
    disk = SlowDisk()
    body = FileBody(path, disk)
    body.open()
    reader = threading.Thread(target=body.read)
    reader.start()
    disk.is_read.wait()
    body.close()
    assert is_open(path)
    disk.may_go_on.set()
    reader.join()
    assert not is_open(path)
    with pytest.raises(OSError, match="was closed"):
        body.read()


def test_a_file_is_not_opened_after_it_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "film"
    path.write_bytes(b"film")
    body = FileBody(path, Throttle())
    body.close()
    body.open()
    assert not is_open(path)


async def test_a_request_cancelled_twice_lets_go_of_its_file_while_all_threads_are_busy(
    tmp_path: Path,
) -> None:
    path = tmp_path / "film"
    path.write_bytes(b"film")
    asked, threads_end = asyncio.Event(), threading.Event()

    async def never(_request: httpx.Request) -> httpx.Response:
        asked.set()
        await asyncio.Event().wait()
        raise AssertionError

    wire = Wire("https://service.example", "stp_rest_" + "0" * 64, transport=httpx.MockTransport(never))
    sending = asyncio.ensure_future(
        wire.send_file("https://service.example/up", path, content_type="video/mp4")
    )
    await asked.wait()
    assert is_open(path)
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    busy = asyncio.ensure_future(asyncio.to_thread(threads_end.wait))
    while not sending.done():
        sending.cancel()
        await asyncio.sleep(0)
    threads_end.set()
    await busy
    await wire.close()
    assert not is_open(path)
