"""Preparation of a storm: connected accounts on every platform, and files."""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

import httpx

from app.contract.enums import PostingPlatform
from tests.benchmarks.killstorm.api import Api
from tests.benchmarks.killstorm.plan import ACCOUNTS
from tests.service.connections.consenting import Form, allow
from tests.service.publishing.endtoend.files import Sample

_KIB: Final = 1024
_PATIENCE_S: Final = 900.0
_TRIES: Final = 3
_PEOPLE: Final = [f"storm-{number}" for number in range(ACCOUNTS)]
_SAMPLES: Final[Mapping[str, Sample]] = {
    "image-1": Sample("image/jpeg", 320, 240),
    "image-2": Sample("image/jpeg", 240, 240),
    "image-3": Sample("image/jpeg", 300, 260),
    "video-1": Sample("video/mp4", 640, 360, 120 * _KIB),
    "upright": Sample("video/mp4", 540, 960, 130 * _KIB),
}


@dataclass(frozen=True)
class File:
    """A stored file."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Account:
    """A connected account; ``board_id`` if posts need a board."""

    id: str
    identifier: str
    board_id: str | None = None


@dataclass(frozen=True)
class Stage:
    """Accounts by platform, and files by their names in the plan."""

    accounts: Mapping[PostingPlatform, list[Account]]
    files: Mapping[str, File]


def set_up(api: Api, platforms: Iterable[PostingPlatform], start_workers: Callable[[], None]) -> Stage:
    """Connect accounts and upload files.

    ``start_workers`` starts the publishing processes, which also probe files.
    """
    with httpx.Client(trust_env=False, follow_redirects=True, verify=False, timeout=30) as browser:  # noqa: S501  loopback
        for platform in platforms:
            for person in _PEOPLE:
                connect_account(api, browser, platform, person)
        files = {name: _upload(api, browser, sample) for name, sample in _SAMPLES.items()}
    start_workers()
    _wait_for_looks(api, len(files))
    return Stage({platform: _accounts(api, platform) for platform in platforms}, files)


def connect_account(api: Api, browser: httpx.Client, platform: PostingPlatform, person: str) -> None:
    """Connect an account. Tries again like a user, because an attempt expires when the clock is set ahead."""
    for _ in range(_TRIES):
        begun = api.answer("POST", "/connections/initiate", json={"platform": platform.value})
        page = allow(browser, str(httpx.URL(begun["connect_url"]).copy_merge_params({"account": person})))
        form = Form(page)
        if form.boxes:
            page = form.send(browser, "connect", form.boxes[:1])
        if "is connected." in page.text:
            return
    raise RuntimeError(f"{platform} could not be connected: {page.text}")


def reconnect(api: Api, connection_id: str) -> None:
    """Reconnect an account with a new consent."""
    with httpx.Client(trust_env=False, follow_redirects=True, verify=False, timeout=30) as browser:  # noqa: S501  loopback
        for person in _PEOPLE:
            begun = api.answer("POST", f"/connections/{connection_id}/reauth")
            address = httpx.URL(begun["reauth_url"]).copy_merge_params({"account": person})
            if "connected." in allow(browser, str(address)).text:
                return
    raise RuntimeError(f"The account {connection_id} could not be connected again.")


def _accounts(api: Api, platform: PostingPlatform) -> list[Account]:
    found = []
    for connection in api.pages("/connections", platform=platform.value):
        board: str | None = None
        if platform is PostingPlatform.PINTEREST:
            boards = api.answer("GET", f"/connections/{connection['id']}/boards")
            board = boards["data"][0]["id"]
        if platform is PostingPlatform.TIKTOK:
            choice = {"choice": {"privacy": "PUBLIC_TO_EVERYONE"}}
            api.answer("PUT", f"/companion/v1/connections/{connection['id']}/tiktok", json=choice)
        found.append(Account(connection["id"], connection["account_identifier"], board))
    return found


def _upload(api: Api, browser: httpx.Client, sample: Sample) -> File:
    content = sample.content
    asked: dict[str, Any] = {
        "filename": sample.filename,
        "content_type": sample.content_type,
        "size_bytes": len(content),
    }
    given = api.answer("POST", "/media/upload-url", json=asked)
    browser.put(given["upload_url"], content=content).raise_for_status()
    return File(given["storage_path"], sha256(content).hexdigest())


def _wait_for_looks(api: Api, count: int) -> None:
    """Wait until every file has been probed, because the rules need its dimensions."""
    end = time.monotonic() + _PATIENCE_S
    while sum(file["width"] is not None for file in api.pages("/companion/v1/media")) < count:
        if time.monotonic() > end:
            raise TimeoutError("The files were not looked into.")
        time.sleep(0.1)
