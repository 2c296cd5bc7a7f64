"""People with files and posts, and what the service has confirmed to them."""

import asyncio
import json
import random
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from sqlalchemy import Connection, insert, select
from starlette.requests import Request
from starlette.responses import Response

from app.contract.enums import KeyScope
from app.contract.media import AttachFromUrl, RequestUploadUrl
from app.service.accounts.accounts import Plan, Principal
from app.service.media import routes, rows
from app.service.media.settings import LINKS_PREFIX, UploadClaims
from app.service.posts.changing import cancel, remove
from app.service.store.tables import posts
from tests.simulation.api import Answer, Api
from tests.simulation.media.ground import account
from tests.simulation.media.invariants import Rule
from tests.simulation.media.origins import Origins
from tests.simulation.media.plan import How, Verb, Wish
from tests.simulation.media.program import Program
from tests.simulation.room import Breach

_ORIGIN: Final = "https://service.example"
_CHUNK: Final = 2_000
_PUTS: Final = 6
"""How often a body is sent by those who don't give up at the first failure."""


@dataclass
class Books:
    """What people know for certain.

    Attributes:
        stored: The bytes of files whose upload or import was confirmed.
        pending: Confirmed posts that were never asked to be cancelled, by the path of their file.
        posts: Every post that may be there, with the path of its file.
        given_up: Posts that somebody asked to cancel or remove, perhaps before they were confirmed.
    """

    stored: dict[str, bytes] = field(default_factory=dict)
    pending: defaultdict[str, set[UUID]] = field(default_factory=lambda: defaultdict(set))
    posts: dict[UUID, str] = field(default_factory=dict)
    given_up: set[UUID] = field(default_factory=set)


class People:
    """Everybody.

    Attributes:
        removed: Paths that somebody asked to remove, ever: how many requests may have done it, or may yet.
    """

    def __init__(self, api: Api[Program], origins: Origins, note: Callable[..., None]) -> None:
        self._api = api
        self._origins = origins
        self._note = note
        self._epoch = 0
        self._giving_up: list[UUID] = []
        self.books = Books()
        self.removed = Counter[str]()
        self.breaches: list[Breach] = []

    async def live(self, wish: Wish) -> None:
        """Does one thing with a file or a post."""
        act: dict[Verb, Callable[[Wish], Awaitable[object]]] = {
            Verb.UPLOAD: self._upload,
            Verb.IMPORT: self._import,
            Verb.DELETE: self._delete,
            Verb.PLAN: self._plan,
            Verb.CANCEL: self._cancel,
            Verb.REMOVE: self._remove,
        }
        self._note("person", wish.number, wish.verb, await act[wish.verb](wish))

    def copy_books(self) -> Books:
        return deepcopy(self.books)

    def go_back_to(self, books: Books) -> None:
        """The database is older now: what was confirmed since isn't in it, nor what was removed since.

        Those who haven't got an answer ask the older database too.
        """
        self._epoch += 1
        self.books = deepcopy(books)
        for post_id in self._giving_up:
            self._end_need(post_id)
        for path in set(self.removed) & set(self.books.stored):
            del self.books.stored[path]

    def _confirm(self, path: str, content: bytes, epoch: int, number: int) -> None:
        if epoch != self._epoch or path in self.removed:
            return
        before = self.books.stored.setdefault(path, content)
        if before != content:
            self.breaches.append(Breach(Rule.UNREADABLE, number, "other bytes were taken for a stored file"))

    async def _upload(self, wish: Wish) -> object:
        epoch, content = self._epoch, content_of(wish)
        body = RequestUploadUrl(
            filename=f"file-{wish.number:06d}.png", content_type="image/png", size_bytes=len(content)
        )

        async def ask(program: Program) -> Any:
            caller = _principal(wish)
            answer = await routes.request_upload_url(program.service, _request(), caller, body)
            return _said(answer)

        given = await self._api.insist(ask)
        if given.result is None:
            return given.refusal and given.refusal.code
        path, url = given.result["storage_path"], given.result["upload_url"]
        sent = 0
        for data in _bodies(wish, content):
            if wish.how is How.TWO:
                await asyncio.gather(*(self._put(url, content, wish, epoch) for _ in range(2)))
            elif await self._put(url, data, wish, epoch):
                sent += 1
        return sent, path in self.books.stored

    async def _put(self, url: str, data: bytes, wish: Wish, epoch: int) -> bool:
        """Sends a body until there is an answer; ``data`` that is cut ends before the announced length."""
        parts = urlsplit(url)
        path = parts.path.removeprefix(f"{LINKS_PREFIX}/")
        claims = UploadClaims.model_validate_strings({k: v[0] for k, v in parse_qs(parts.query).items()})
        is_cut = wish.how in {How.CUT, How.RESUMED} and len(data) < claims.size

        async def put(program: Program) -> Any:
            request = _request(_pieces(data, wish, is_cut=is_cut), size=None if is_cut else claims.size)
            return await routes.receive_upload(program.service, request, path, claims)

        answer = await self._api.insist(put, tries=1 if is_cut or wish.turn % 2 else _PUTS)
        if answer.is_done:
            self._confirm(path, data, epoch, wish.number)
        return answer.is_done

    async def _import(self, wish: Wish) -> object:
        epoch, content = self._epoch, content_of(wish)
        url = self._origins.offer(wish.number, content, wish.how)
        body = AttachFromUrl(url=url, filename=f"file-{wish.number:06d}.png")

        async def attach(program: Program) -> Any:
            return _said(await routes.attach_from_url(program.service, _principal(wish), body))

        answer = await self._api.insist(attach, tries=3)
        if answer.result is not None:
            self._confirm(answer.result["storage_path"], content, epoch, wish.number)
        return answer.is_done

    async def _delete(self, wish: Wish) -> object:
        path = _chosen(sorted(self.books.stored), wish)
        if path is None:
            return None
        self.removed[path] += 1
        epoch, needed_by = self._epoch, set(self.books.pending[path])

        async def delete(program: Program) -> Any:
            caller = _principal(wish, UUID(path[:36]))
            return _said(await routes.delete_media(program.service, caller, path))

        answer = await self._api.insist(delete)
        if epoch != self._epoch:
            return "restored"
        still_needed = needed_by & self.books.pending[path]
        if answer.result is not None and not answer.result["deleted"]:
            if not answer.is_doubtful:
                self._note_kept(path)
            return "kept"
        self.books.stored.pop(path, None)
        if still_needed and answer.is_done:
            self.breaches.append(Breach(Rule.NEEDED, wish.number, f"{path} was deleted; a post needs it"))
        return answer.is_done

    def _note_kept(self, path: str) -> None:
        """One request didn't remove the file; others still may."""
        self.removed[path] -= 1
        if not self.removed[path]:
            del self.removed[path]

    async def _plan(self, wish: Wish) -> object:
        path = _chosen(sorted(self.books.stored), wish)
        if path is None:
            return None
        owner, post_id, epoch = UUID(path[:36]), UUID(int=1_000_000 + wish.number), self._epoch
        self.books.posts[post_id] = path

        async def plan(program: Program) -> bool:
            now = program.clock()

            def work(opened: Connection) -> bool:
                if opened.execute(select(posts.c.id).where(posts.c.id == post_id)).first() is not None:
                    return True
                if rows.stored_file(opened, owner, path) is None:
                    return False
                opened.execute(insert(posts).values(
                    id=post_id, account_id=owner, connection_id=owner, platform="facebook",
                    post_type="image", status="scheduled", media_storage_path=path, scheduled_at=now,
                    created_via="rest", created_at=now,
                ))  # fmt: skip
                return True

            return await program.database.write(work)

        answer = await self._api.insist(plan)
        if answer.result and epoch == self._epoch and post_id not in self.books.given_up:
            self.books.pending[path].add(post_id)
        return answer.result

    @contextmanager
    def _give_up_need(self, post_id: UUID) -> Iterator[None]:
        """While somebody asks to cancel or remove a post."""
        self._end_need(post_id)
        self._giving_up.append(post_id)
        try:
            yield
        finally:
            self._giving_up.remove(post_id)

    def _end_need(self, post_id: UUID) -> None:
        self.books.given_up.add(post_id)
        for needing in self.books.pending.values():
            needing.discard(post_id)

    async def _cancel(self, wish: Wish) -> object:
        post_id = _chosen(sorted(self.books.posts), wish)
        if post_id is None:
            return None
        owner = UUID(self.books.posts[post_id][:36])

        async def work(program: Program) -> object:
            return await program.database.write(lambda opened: cancel(opened, owner, post_id))

        with self._give_up_need(post_id):
            return (await self._api.insist(work)).is_done

    async def _remove(self, wish: Wish) -> object:
        post_id = _chosen(sorted(self.books.posts), wish)
        if post_id is None:
            return None
        path, epoch = self.books.posts.pop(post_id), self._epoch
        self.removed[path] += 1
        owner = UUID(path[:36])

        async def work(program: Program) -> tuple[str | None]:
            _, orphan = await program.database.write(lambda opened: remove(opened, owner, post_id))
            if orphan is not None:
                await rows.discard(program.store, orphan)
            return (orphan,)

        with self._give_up_need(post_id):
            answer: Answer[tuple[str | None]] = await self._api.insist(work)
        if epoch != self._epoch:
            return "restored"
        if answer.result == (None,) and not answer.is_doubtful:
            self._note_kept(path)
            return "other posts have its file"
        self.books.stored.pop(path, None)
        return answer.is_done


def content_of(wish: Wish) -> bytes:
    """The bytes of a file: what matters is how it begins."""
    chance = random.Random(wish.number)  # noqa: S311  chance, no secret
    return b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + chance.randbytes(wish.size)


def _bodies(wish: Wish, content: bytes) -> list[bytes]:
    """What is PUT, one after the other."""
    half = content[: len(content) // 2]
    return {
        How.AGAIN: [content, content],
        How.OTHER: [content, content[:-1] + bytes([content[-1] ^ 1])],
        How.CUT: [half],
        How.RESUMED: [half, content],
        How.NEVER: [],
        How.SHORT: [content[:-1]],
        How.WRONG: [b"<!doctype html>".ljust(len(content))],
    }.get(wish.how, [content])


async def _pieces(data: bytes, wish: Wish, *, is_cut: bool) -> AsyncIterator[dict[str, Any]]:
    """The messages of a body, as they come."""
    for at in range(0, len(data), _CHUNK):
        await asyncio.sleep(40 if wish.how is How.SLOW else 0.05)
        yield {"type": "http.request", "body": data[at : at + _CHUNK], "more_body": True}
    await asyncio.sleep(0.05)
    yield {"type": "http.disconnect"} if is_cut else {"type": "http.request", "body": b"", "more_body": False}


def _request(messages: AsyncIterator[dict[str, Any]] | None = None, size: int | None = None) -> Request:
    host = urlsplit(_ORIGIN).netloc.encode()
    headers = [(b"host", host), *([(b"content-length", str(size).encode())] if size is not None else [])]
    scope = {"type": "http", "method": "PUT", "path": "/", "query_string": b"", "headers": headers,
             "scheme": "https", "server": (host.decode(), 443), "root_path": ""}  # fmt: skip

    async def receive() -> dict[str, Any]:
        if messages is None:
            return {"type": "http.request", "body": b"", "more_body": False}
        return await anext(messages, {"type": "http.disconnect"})

    return Request(scope, receive)


def _said(answer: Response) -> Any:
    return json.loads(bytes(answer.body))


def _principal(wish: Wish, owner: UUID | None = None) -> Principal:
    owner = owner or account(wish.number)
    return Principal(owner, KeyScope.API_FULL, owner, Plan.LOCAL, None, None)  # its key has its ID


def _chosen(among: list[Any], wish: Wish) -> Any:
    return among[wish.turn % len(among)] if among else None
