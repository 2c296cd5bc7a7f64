"""The accounts of one service, and their pictures."""

import asyncio
import hashlib
import io
import logging
import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from sqlalchemy import Connection as Transaction
from sqlalchemy import delete, select, update
from sqlalchemy.dialects.sqlite import insert

from app import disk
from app.client import ACCOUNTS_MAX, ClientError, ServiceClient
from app.contract.companion import Place
from app.contract.connections import Connection
from app.contract.enums import PostType
from app.contract.media_kinds import HEAD_BYTES, sniffed
from app.platforms.cards import CARDS, is_by_hand
from app.workspace.accounts.account import Account
from app.workspace.media.thumbnails import Thumbnails
from app.workspace.store import first
from app.workspace.store.tables import accounts

EDGE: Final = 132
"""Edge length of pictures in pixels: enough for an avatar of 44 at 300 %."""
_FETCHED_MAX: Final = 1024 * 1024
_PATIENCE_S: Final = 30.0
_AGAIN_S: Final = 600.0
"""Delay before a failed download is retried, in s."""
_KEPT_MAX: Final = 200
_PARALLEL: Final = 2
_LOCAL_NAMES: Final = ("localhost", "local", "internal", "home.arpa")

_log = logging.getLogger(__name__)


class AccountPictures:
    """Account pictures, for the event loop's thread.

    Disk and decoder run in other threads, two accounts at a time. A missing picture isn't reported: the
    account keeps its initials. A new URL means a new picture, which replaces the previous one.
    """

    def __init__(self, folder: Path, client: ServiceClient, thumbnails: Thumbnails | None = None) -> None:
        """``thumbnails`` decodes the downloads."""
        self._folder = folder
        self._thumbnails = thumbnails or Thumbnails()
        self._client = client
        self._turn = asyncio.Semaphore(_PARALLEL)
        self._making: dict[str, asyncio.Task[bytes | None]] = {}
        self._failed: dict[str, float] = {}

    async def of(self, account: Account) -> bytes | None:
        """Return a JPEG of at most ``EDGE`` pixels per side; None if none is available now."""
        url = account.avatar_url
        if not url or not self._may_fetch(url):
            return None
        name = _name(account.key, url)
        now = asyncio.get_running_loop().time()
        if now - self._failed.get(name, -_AGAIN_S) < _AGAIN_S:
            return None
        if name not in self._making:
            task = asyncio.get_running_loop().create_task(self._get(account.key, url, name))
            self._making[name] = task
            task.add_done_callback(lambda _task: self._making.pop(name, None))
        return await asyncio.shield(self._making[name])

    async def close(self) -> None:
        """Cancel all downloads."""
        running = list(self._making.values())
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self._thumbnails.close()

    def _may_fetch(self, url: str) -> bool:
        """Whether a picture may be downloaded from a URL: https, and not in a private network.

        The service's own host is always allowed.
        """
        try:
            parts, own = urlsplit(url), urlsplit(self._client.base_url)
            host = (parts.hostname or "").rstrip(".")
            if parts.scheme != "https" or parts.username is not None or not host:
                return False
            return (host, parts.port) == (own.hostname, own.port) or not _is_local(host)
        except ValueError:
            return False

    async def _get(self, key: str, url: str, name: str) -> bytes | None:
        async with self._turn:
            try:
                place = self._folder / f"{name}.jpg"
                if kept := await asyncio.to_thread(_read, place):
                    return kept
                made = await self._fetch(url)
                if made is not None:
                    await asyncio.to_thread(_write, place, made, key)
                    return made
            except (ClientError, TimeoutError):
                _log.debug("the picture of an account could not be fetched")
            except OSError as error:
                _log.warning("the picture of an account could not be kept: %s", error.strerror)
            self._failed[name] = asyncio.get_running_loop().time()
            return None

    async def _fetch(self, url: str) -> bytes | None:
        content = io.BytesIO()
        async with asyncio.timeout(_PATIENCE_S):
            await self._client.picture(url, content, _FETCHED_MAX)
        return await self._small(content.getvalue())

    async def _small(self, content: bytes) -> bytes | None:
        """Decode a picture if its first bytes are those of one, regardless of the Content-Type."""
        kind = sniffed(content[:HEAD_BYTES])
        if kind is None or kind.post_type is not PostType.IMAGE:
            return None
        file = await asyncio.to_thread(_put_aside, content)
        try:
            return await self._thumbnails.make(file, PostType.IMAGE, EDGE)
        finally:
            await asyncio.to_thread(file.unlink, missing_ok=True)


def _is_local(host: str) -> bool:
    try:
        return not ip_address(host).is_global
    except ValueError:
        return "." not in host or any(f".{host}".endswith(f".{name}") for name in _LOCAL_NAMES)


def _name(key: str, url: str) -> str:
    """Return the file name of a picture, made of its account and its URL."""
    return f"{_of_account(key)}-{hashlib.sha256(url.encode()).hexdigest()[:32]}"


def _of_account(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:32]


def _put_aside(content: bytes) -> Path:
    """Write a file that only this user can read."""
    handle, name = tempfile.mkstemp(prefix="kalends-")
    with os.fdopen(handle, "wb") as written:
        written.write(content)
    return Path(name)


def _read(place: Path) -> bytes | None:
    try:
        content = place.read_bytes()
        os.utime(place)  # mark it as used: unused ones are deleted first
    except FileNotFoundError:
        return None
    return content


def _write(place: Path, content: bytes, key: str) -> None:
    """Write the file atomically; delete the account's previous picture, and the oldest of too many."""
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as written:
        written.write(content)
    disk.replace(Path(written.name), place)
    for former in place.parent.glob(f"{_of_account(key)}-*.jpg"):
        if former != place:
            former.unlink(missing_ok=True)
    kept = sorted(place.parent.glob("*.jpg"), key=lambda one: one.stat().st_mtime_ns, reverse=True)
    for old in kept[_KEPT_MAX:]:
        old.unlink(missing_ok=True)


_USUAL_COLORS = {
    key: card.brand.account_color for key, card in CARDS.items() if card.brand.account_color is not None
}
"""Indexes into the desktop's account colours, so that a platform looks familiar."""


class AccountBook:
    """Accounts in the order of their connection.

    A removed account keeps its colour in case it returns, until too many others were removed since.
    """

    def __init__(self, *, practice: bool) -> None:
        self.practice = practice
        self.listed: dict[str, Account] = {}
        self._known: dict[str, Account] = {}
        self._added: dict[UUID, Connection] = {}
        self._colors: set[int] = set()
        self._next_color = 0

    def load(self, kept: Iterable[tuple[Account, bool]]) -> None:
        """Start with stored accounts, each with whether it was listed."""
        pairs = list(kept)
        self._know(account for account, _ in pairs)
        self._list([account for account, listed in pairs if listed])

    def replace_all(self, connections: Iterable[Connection]) -> bool:
        """Replace all accounts with the service's list; return whether anything changed."""
        return self._list([self._account(connection) for connection in connections])

    def list_requested(self) -> None:
        """Note that the service's list is requested now: it has everything added before."""
        self._added.clear()

    def left_out_of(self, connections: Iterable[Connection]) -> list[Connection]:
        """Return the connections that were added since the list was requested, and are not in it."""
        listed = {connection.id for connection in connections}
        return [connection for key, connection in self._added.items() if key not in listed]

    def add(self, connection: Connection) -> Account:
        """Add a new connection, or update a known one."""
        self._added[connection.id] = connection
        account = self._account(connection)
        self._list([*(old for old in self.listed.values() if old.key != account.key), account])
        return account

    def set_limits(self, key: str, limits: str) -> bool:
        """Set the limits of an account's server, as JSON; return whether that changed anything."""
        before = self.listed.get(key)
        if before is None:
            return False
        return self._list([*(self.listed | {key: replace(before, server_limits=limits)}).values()])

    def set_practice(self, practice: bool) -> bool:
        """Set whether the platforms are stand-ins; return whether that changed."""
        if practice == self.practice:
            return False
        self.practice = practice
        listed = self.listed.values()
        self._list([replace(account, practice=self._is_practice(account.platform)) for account in listed])
        return True

    def _list(self, found: Sequence[Account]) -> bool:
        ordered = {account.key: account for account in sorted(found, key=_order)}
        changed = ordered != self.listed
        self.listed = ordered
        removed = [account for key, account in self._known.items() if key not in ordered]
        self._know((*removed[-ACCOUNTS_MAX:], *ordered.values()))
        return changed

    def _know(self, accounts_: Iterable[Account]) -> None:
        self._known = {account.key: account for account in accounts_}
        self._colors, self._next_color = {account.color_index for account in self._known.values()}, 0

    def _account(self, connection: Connection) -> Account:
        key = str(connection.id)
        before = self._known.get(key)
        account = Account(
            key=key,
            platform=connection.platform,
            name=connection.display_name or connection.username or connection.account_identifier,
            handle=connection.username,
            identifier=connection.account_identifier,
            avatar_url=connection.avatar_url,
            followers=connection.follower_count,
            is_verified=connection.is_verified,
            is_available=connection.is_available,
            token_expires_at=connection.token_expires_at,
            connected_at=connection.created_at,
            color_index=before.color_index if before else self._free_color(connection.platform),
            practice=self._is_practice(connection.platform),
            server_limits=before.server_limits if before else "",
            sign_in_by=connection.sign_in_by if isinstance(connection, Place) else None,
        )
        self._known[key] = account
        self._colors.add(account.color_index)
        return account

    def _is_practice(self, platform: str) -> bool:
        """Whether an account is a stand-in; those that the user publishes to by hand never are."""
        return self.practice and not is_by_hand(platform)

    def _free_color(self, platform: str) -> int:
        """Return the usual colour of the platform's first account, or the first unused one."""
        usual = _USUAL_COLORS.get(platform)
        if usual is not None and usual not in self._colors:
            return usual
        while self._next_color in self._colors or self._next_color in _USUAL_COLORS.values():
            self._next_color += 1
        return self._next_color


def _order(account: Account) -> tuple[object, str]:
    return account.connected_at, account.key


def load_accounts(transaction: Transaction) -> list[tuple[Account, bool]]:
    """Return all accounts ever listed, each with whether it still is."""
    return first.accounts(transaction.exec_driver_sql)


def save_accounts(transaction: Transaction, listed: Iterable[Account]) -> None:
    """Store the current list, and forget accounts that were removed long ago."""
    transaction.execute(update(accounts).values(listed=False))
    put = insert(accounts)
    changed = {name: column for name, column in put.excluded.items() if name != "key"}
    values = [
        {
            **{field: getattr(account, field) for field in Account.__dataclass_fields__},
            "platform": account.platform.value,
            "listed": True,
        }
        for account in listed
    ]
    if values:
        transaction.execute(put.on_conflict_do_update(index_elements=["key"], set_=changed), values)
    removed = select(accounts.c.key).where(accounts.c.listed.is_(False))
    newest = removed.order_by(accounts.c.connected_at.desc()).limit(ACCOUNTS_MAX)
    transaction.execute(delete(accounts).where(accounts.c.listed.is_(False), accounts.c.key.not_in(newest)))
