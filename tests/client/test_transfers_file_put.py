"""Responses during an upload: only a final one ends the call."""

import asyncio
from pathlib import Path

import pytest

from app.client import ClientError
from app.contract.media import UploadUrl
from tests.client.raw_service import answering

MEGABYTE = 1024 * 1024
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


def hint(status: int) -> bytes:
    return b"HTTP/1.1 %d Wait\r\n\r\n" % status


def sent(folder: Path, size: int, before: list[int], after: list[int], end: bytes = OK) -> tuple[int, int]:
    """Send a file; return the number of requests, and of bytes in the last one."""
    film = folder / "film.mp4"
    film.write_bytes(bytes(size))
    came = 0

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal came
        for status in before:
            writer.write(hint(status))
        came = len(await reader.readexactly(size))
        for status in after:
            writer.write(hint(status))
            await writer.drain()
            await asyncio.sleep(0)
        writer.write(end)

    async def run() -> int:
        async with answering(folder, say) as service:
            client = service.client()
            link = UploadUrl(
                upload_url=f"{service.base}/up", storage_path="a", token="t", expires_in_seconds=1
            )
            try:
                await client.media.upload(link, film, "video/mp4")
            finally:
                await client.close()
            return len(service.heads)

    return asyncio.run(run()), came


@pytest.mark.parametrize("size", [10, 2 * MEGABYTE])
@pytest.mark.parametrize("after", [[102], [103, 102], [100], [100, 103] * 50])
def test_a_hint_after_the_file_is_no_answer(tmp_path: Path, size: int, after: list[int]) -> None:
    assert sent(tmp_path, size, [], after) == (1, size)


@pytest.mark.parametrize("before", [[100], [103, 100], [103], [102, 100, 103]])
def test_a_hint_before_the_file_does_not_keep_it(tmp_path: Path, before: list[int]) -> None:
    assert sent(tmp_path, 2 * MEGABYTE, before, []) == (1, 2 * MEGABYTE)


def test_no_answer_after_hints_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(ClientError):
        sent(tmp_path, 10, [], [103], end=b"")
