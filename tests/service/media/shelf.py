"""An account's shelf of files: asks for links, uploads, looks, and sees what lies in the folder."""

import socket
import ssl
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import httpx
from sqlalchemy import Connection, RowMapping, select

from app.contract.enums import KeyScope
from app.service.accounts.accounts import Plan, change_account, create_account, create_key
from app.service.clock import system_clock
from app.service.media.parts import MediaParts
from app.service.media.s3 import S3MediaStore
from app.service.media.stores import place_of
from app.service.store.folder import DataFolder
from app.service.store.tables import media
from tests.service.media.samples import image
from tests.service.running import Caller, RunningService


@dataclass
class Shelf:
    """The files of one caller, and a client without a key for signed links."""

    caller: Caller
    links: httpx.Client

    @property
    def service(self) -> RunningService:
        return self.caller.service

    @property
    def parts(self) -> MediaParts:
        found: MediaParts = self.service.parts.api.state.service.media
        return found

    @property
    def folder(self) -> Path:
        return self.service.folder.media / str(self.caller.account_id)

    def announce(
        self, size: int, filename: str = "photo.png", content_type: str = "image/png"
    ) -> dict[str, Any]:
        """Asks for an upload link, which must be given."""
        answer = self.ask(size, filename, content_type)
        assert answer.status_code == 200, answer.text
        given: dict[str, Any] = answer.json()
        return given

    def ask(self, size: int, filename: str = "photo.png", content_type: str = "image/png") -> httpx.Response:
        body = {"filename": filename, "content_type": content_type, "size_bytes": size}
        return self.caller.http.post("/media/upload-url", json=body)

    def store(
        self, data: bytes | None = None, filename: str = "photo.png", content_type: str = "image/png"
    ) -> str:
        """Uploads a file; gives its storage path."""
        data = image() if data is None else data
        link = self.announce(len(data), filename, content_type)
        answer = self.links.put(link["upload_url"], content=data)
        assert answer.status_code == 200, answer.text
        return str(link["storage_path"])

    def view_url(self, storage_path: str, **query: Any) -> str:
        answer = self.caller.http.get(f"/media/{storage_path}", params=query)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["view_url"])

    def names(self) -> list[str]:
        """What lies in the account's folder."""
        if isinstance(self.parts.store, S3MediaStore):
            paths = [place.storage_path for place, _ in self.parts.store.held(self.service.clock())]
            own = f"{self.caller.account_id}/"
            return sorted(path.removeprefix(own) for path in paths if path.startswith(own))
        return sorted(file.name for file in self.folder.iterdir()) if self.folder.exists() else []

    def content(self, storage_path: str) -> bytes:
        """The bytes of a stored file, wherever they are."""
        [row] = [row for row in self.rows() if row["storage_path"] == storage_path]

        async def read() -> bytes:
            async with self.parts.store.open_at(place_of(row), 0) as chunks:
                return b"".join([chunk async for chunk in chunks])

        return self.service.await_(read)

    def rows(self) -> list[RowMapping]:
        own = select(media).where(media.c.account_id == self.caller.account_id)
        return list(self.service.database.read_now(lambda rows: rows.execute(own).mappings().all()))

    def used_bytes(self) -> int:
        return int(self.caller.http.get("/usage").json()["storage"]["used_bytes"])

    def cap(self, storage_cap: int) -> None:
        """Sets how much the account may store."""
        owner = self.caller.account_id
        self.service.database.write_now(lambda rows: change_account(rows, owner, storage_cap=storage_cap))

    def raw(self, url: str, *headers: str) -> "RawPut":
        """A PUT that is written by hand."""
        return RawPut(self.service, url, headers)


class RawPut:
    """A connection on which a request can be slow, cut off, or wrong."""

    def __init__(self, service: RunningService, url: str, headers: tuple[str, ...]) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        plain = socket.create_connection((parts.hostname, parts.port or 443), timeout=20)
        self.socket: ssl.SSLSocket = service.trust.wrap_socket(plain, server_hostname=parts.hostname)
        lines = [f"PUT {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}", *headers, "", ""]
        self.socket.sendall("\r\n".join(lines).encode())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def status(self) -> int:
        """The status of the next answer."""
        received = b""
        while b"\r\n\r\n" not in received and (more := self.socket.recv(1)):
            received += more
        return int(received.split()[1])


def refusal(answer: httpx.Response, status: int) -> dict[str, Any]:
    """The error of an answer that must be the envelope with that status."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert set(body) == {"error", "request_id"}
    assert answer.headers["x-request-id"] == body["request_id"]
    error: dict[str, Any] = body["error"]
    return error


def new_key(data: Path) -> str:
    """A key to a new account in a data folder that no service has yet."""
    now = system_clock()

    def work(opened: Connection) -> str:
        owner = create_account(opened, "Ines", Plan.LOCAL, now)
        return create_key(opened, owner, KeyScope.API_FULL, None, now)[1]

    with closing(DataFolder(data).open_database()) as database:
        return database.write_now(work)


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits until something holds; fails after a while."""
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)
