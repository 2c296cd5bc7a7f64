"""Lists and files of a calendar that moves back, from a service that may say anything."""

from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import count

import httpx
import pytest

from app.client import ITEMS_MAX, AnswerNotUnderstood, ListTooLong, RetryPolicy, ServiceClient
from tests.client.test_client import BASE, KEY

MEGABYTE = 1024 * 1024
QUICK = RetryPolicy(attempts=2, wait_initial=0, wait_max=0)


def client(handle: Callable[[httpx.Request], httpx.Response]) -> ServiceClient:
    return ServiceClient(BASE, KEY, transport=httpx.MockTransport(handle), retries=QUICK)


def listing(*names: str) -> httpx.Response:
    return httpx.Response(200, json={"data": [{"name": name, "size_bytes": 1} for name in names]})


async def names_of(service: ServiceClient) -> list[str]:
    try:
        return [file.name async for page in service.moving.files() for file in page.data]
    finally:
        await service.close()


async def test_a_list_of_files_ends_with_an_empty_page() -> None:
    pages = {"": ("a", "b"), "b": ("c",), "c": ()}
    found = await names_of(client(lambda request: listing(*pages[request.url.params["after"]])))
    assert found == ["a", "b", "c"]


async def test_a_list_of_files_without_end_is_not_followed_forever() -> None:
    numbers = count()
    pages: Iterator[list[str]] = ([f"{next(numbers):064d}" for _ in range(1_000)] for _ in count())
    asked = 0

    def handle(_request: httpx.Request) -> httpx.Response:
        nonlocal asked
        asked += 1
        assert asked <= ITEMS_MAX / 1_000
        return listing(*next(pages))

    with pytest.raises(ListTooLong):
        await names_of(client(handle))


async def test_a_list_of_files_that_leads_back_is_not_followed() -> None:
    pages = {"": ("a", "b"), "b": ("a",), "a": ("b",)}
    with pytest.raises(AnswerNotUnderstood):
        await names_of(client(lambda request: listing(*pages[request.url.params["after"]])))


@pytest.mark.parametrize("content", [b"", b"ab", b"abcd", bytes(MEGABYTE)])
async def test_a_file_of_another_size_is_refused(content: bytes) -> None:
    service, into = client(lambda _request: httpx.Response(200, content=content)), BytesIO()
    with pytest.raises(AnswerNotUnderstood):
        await service.moving.fetch("manifest.json", into, 3)
    assert len(into.getvalue()) <= 3
    await service.close()
