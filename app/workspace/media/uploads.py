"""The queue of uploads: stored in the workspace's file, sent one or two at a time."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar
from uuid import uuid4

from sqlalchemy import Connection

from app.client import (
    ClientError,
    RateLimited,
    ServerFailed,
    ServiceAnswered,
    ServiceUnreachable,
    TimedOut,
    Unauthorized,
)
from app.language import filled, tr
from app.media.protocol import ProbeResult
from app.workspace.changes import Changes, Listeners
from app.workspace.core import Core
from app.workspace.media.local_file import LocalFile, fingerprint, look_again_at
from app.workspace.media.sending import BrokenUploadError, CannotUploadError, Sender, Speed, SpeedLimit
from app.workspace.media.upload import (
    Upload,
    UploadState,
    change_upload,
    finish_upload,
    forget_old,
    move_to_front,
    put_uploads,
    remove_upload,
)
from app.workspace.messages import Problem
from app.workspace.problems import as_problem, problem_of
from app.workspace.sync.link import Asked, Link

_PARALLEL: Final = 2
"""Parallel uploads. More wouldn't be faster on most connections, and leave less to other programs."""
_TRIES: Final = 3
"""Consecutive interrupted attempts before the user is asked."""
_AGAIN: Final = tr("{why} The upload will restart automatically.")
_IN_VAIN: Final = tr("{why} Failed after {count} attempts. Try again later.")
_LASTING: Final = frozenset({"id", "added_at"})
"""The attributes of an upload that starting over doesn't change."""
_CONCERNS_ALL = (ServiceUnreachable, TimedOut, Unauthorized, RateLimited)
_NOT_A_REFUSAL = (Unauthorized, RateLimited, ServerFailed)

_log = logging.getLogger(__name__)
T = TypeVar("T")


class Uploads:
    """Uploads by ID; ``limit`` is their common speed limit.

    Listeners get the upload as it is now. They aren't notified of removed ones.
    """

    def __init__(self, core: Core, link: Link, kept: Iterable[Upload]) -> None:
        self._core = core
        self._link = link
        self._all = {upload.id: upload for upload in kept}
        self.limit = SpeedLimit(core)
        self._sender = Sender(core.client)
        self._told: Listeners[Upload] = Listeners()
        self._wake = asyncio.Event()
        self._sending: dict[str, asyncio.Task[None]] = {}
        self._others: set[asyncio.Task[None]] = set()
        self._restarting: set[str] = set()
        self._held: Counter[str] = Counter()  # IDs of uploads that are being stopped, or changed on disk
        self._failures: dict[str, int] = {}
        self._broken: dict[str, int] = {}
        self._not_before: dict[str, float] = {}
        self._asked = Asked(core.clock)

    def all(self) -> list[Upload]:
        """All uploads, in the order they were added."""
        return list(self._all.values())

    def get(self, upload_id: str) -> Upload | None:
        return self._all.get(upload_id)

    def listen(self, listener: Callable[[Upload], None]) -> Callable[[], None]:
        """Subscribe to the progress of uploads, a few times per second; call the result to unsubscribe."""
        return self._told.add(listener)

    async def add(self, files: Iterable[LocalFile]) -> list[Upload]:
        """Queue files; on return they're stored. If it raises Problem, none is queued."""
        now = self._core.clock()
        added = [_new(file, now + number) for number, file in enumerate(files)]  # keeps their order
        if added:
            await self._put(added)
        return added

    def know(self, upload_id: str, probed: ProbeResult) -> None:
        """Store the result of a probe."""
        if (upload := self._all.get(upload_id)) is not None:
            self._show(replace(upload, probed=probed))

    async def retry(self, upload_id: str) -> None:
        """Start an upload that isn't running, with the file as it is now. Raises Problem."""
        upload = self._all.get(upload_id)
        if upload is None or upload.is_done or upload.state is UploadState.SENDING:
            return
        if upload_id in self._restarting:
            return
        self._restarting.add(upload_id)  # until then, it isn't sent
        try:
            await self._restart(upload)
        finally:
            self._restarting.discard(upload_id)
            self._wake.set()

    async def _restart(self, upload: Upload) -> None:
        if ending := self._sending.get(upload.id):
            await asyncio.wait([ending])
        file = await asyncio.to_thread(_look_closely, upload.path)
        upload = self._all.get(upload.id, upload)
        if upload.is_done:
            return  # it was just finishing
        changed = _as_found(upload, file)
        if not changed.get("storage_path", upload.storage_path):
            await self._sender.give_up(upload)  # another file was announced for this path
        await self._change(upload.id, **changed)
        for counted in (self._failures, self._broken, self._not_before):
            counted.pop(upload.id, None)
        self._link.retry_now()
        self._asked.forget()

    async def cancel(self, upload_id: str) -> None:
        """Cancel and remove an upload; a file that is already stored stays. Raises Problem."""
        await self._stop(upload_id)
        if upload_id in self._all:
            remove = partial(remove_upload, upload_id=upload_id)
            await self._write([upload_id], remove, lambda _removed: self._remove(upload_id))

    def _remove(self, upload_id: str) -> None:
        upload = self._all.pop(upload_id, None)
        if upload is not None and not upload.is_done:
            self._start(self._sender.give_up(upload), self._others.add, self._others.discard)

    async def pause(self, upload_id: str) -> None:
        """Pause an upload until it's retried; it then starts over. Raises Problem."""
        await self._stop(upload_id)
        upload = self._all.get(upload_id)
        if upload is None or not upload.is_underway:
            return
        if upload.state is UploadState.SENDING:
            self._show(replace(upload, state=UploadState.WAITING, sent=0, speed=0.0))  # as it's stored
        paused = UploadState.PAUSED
        await self._change(upload_id, state=paused, sent=0, speed=0.0, reason="", asked_until=None)

    async def hasten(self, upload_id: str) -> None:
        """Move an upload to the front of the queue. Raises Problem."""

        def show(first: int | None) -> None:
            if first is not None and (upload := self._all.pop(upload_id, None)) is not None:
                self._all = {upload_id: upload, **self._all}
                self._show(replace(upload, added_at=first))

        if upload_id in self._all:
            await self._write([upload_id], partial(move_to_front, upload_id=upload_id), show)

    async def adopt(self, upload: Upload) -> None:
        """Add an upload that is already done. Raises Problem."""
        await self._put([upload])

    async def forget_file(self, storage_path: str) -> None:
        """Remove the uploads of a file that no longer exists. Raises Problem."""
        gone = [one.id for one in self._all.values() if one.is_done and one.storage_path == storage_path]
        for upload_id in gone:
            await self.cancel(upload_id)

    async def run(self) -> None:
        """Send uploads until cancelled; interrupted ones start over at the next start."""
        await self._begin()
        try:
            while True:
                self._wake.clear()
                # One reading of the clock for both: with two, an upload due in between would wait forever.
                now = asyncio.get_running_loop().time()
                wait = max(self._link.wait, self._asked.wait)
                if not wait:
                    self._start_ready(now)
                self._tell_asked()
                await self._pause(now, wait)
        finally:
            running = [*self._sending.values(), *self._others]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _begin(self) -> None:
        now = self._core.clock()
        try:
            await self.limit.load()
            for upload_id in await self._core.write(lambda connection: forget_old(connection, now)):
                self._all.pop(upload_id, None)
        except Problem as error:
            _log.warning("the uploads' limit could not be read, or old ones not be forgotten: %s", error)

    def _start_ready(self, now: float) -> None:
        if self._link.blocked:
            return
        for upload in self.all():
            if len(self._sending) >= _PARALLEL:
                return
            ready = upload.state is UploadState.WAITING and self._not_before.get(upload.id, 0.0) <= now
            if ready and not any(upload.id in them for them in (self._sending, self._restarting, self._held)):
                keep = partial(self._sending.__setitem__, upload.id)
                self._start(self._send(upload), keep, partial(self._ended, upload.id))

    def _tell_asked(self) -> None:
        """Uploads that wait for their turn wait for the service too."""
        until = self._asked_until()
        for upload in self.all():
            if upload.state is UploadState.WAITING and upload.asked_until != until:
                self._show(replace(upload, asked_until=until))

    def _asked_until(self) -> int | None:
        return max(filter(None, (self._link.asked_until, self._asked.until)), default=None)

    async def _stop(self, upload_id: str) -> None:
        if task := self._sending.get(upload_id):
            self._hold([upload_id])  # or it would start again before this goes on
            task.cancel()
            try:
                await asyncio.gather(task, return_exceptions=True)
            finally:
                self._let_go([upload_id])

    def _hold(self, upload_ids: list[str]) -> None:
        """Don't start these uploads until `_let_go` is called as often."""
        self._held.update(upload_ids)

    def _let_go(self, upload_ids: list[str]) -> None:
        self._held -= Counter(upload_ids)  # drops what has reached zero
        self._wake.set()

    def _start(
        self,
        work: "asyncio._CoroutineLike[None]",
        keep: Callable[[asyncio.Task[None]], Any],
        ended: Callable[[asyncio.Task[None]], None],
    ) -> None:
        task = asyncio.get_running_loop().create_task(work)
        keep(task)
        task.add_done_callback(ended)

    def _ended(self, upload_id: str, task: asyncio.Task[None]) -> None:
        self._sending.pop(upload_id, None)
        if not task.cancelled() and (error := task.exception()):
            _log.error("an upload could not be made", exc_info=error)
            self._put_off(upload_id, tr("Something went wrong. The upload will restart automatically."))
        self._wake.set()

    async def _send(self, upload: Upload) -> None:
        self._show(_begun(upload))
        try:
            path = await self._sender.send(upload, partial(self._reserved, upload.id), self._meter(upload.id))
            await self._finish(upload.id, path)
        except CannotUploadError as error:
            await self._fail(upload.id, str(error))
        except BrokenUploadError as error:
            await self._broke(upload.id, error)
        except Problem as error:
            self._put_off(upload.id, str(error))
        except ClientError as error:
            await self._not_placed(upload.id, error)

    async def _broke(self, upload_id: str, error: BrokenUploadError) -> None:
        if error.wait is not None:
            self._asked.note(error.wait)
        count = self._broken[upload_id] = self._broken.get(upload_id, 0) + (1 if error.lasts else 0)
        if count < _TRIES:
            self._put_off(upload_id, _AGAIN.format(why=error))
        else:
            self._broken.pop(upload_id)
            await self._fail(upload_id, filled(_IN_VAIN, why=error, count=count))

    async def _not_placed(self, upload_id: str, error: ClientError) -> None:
        if isinstance(error, _CONCERNS_ALL):
            self._link.failed(error)
        if isinstance(error, RateLimited) and error.retry_after is not None:
            self._asked.note(error.retry_after)  # other calls may succeed, which says nothing about uploads
        if isinstance(error, ServiceAnswered) and not isinstance(error, _NOT_A_REFUSAL):
            await self._fail(upload_id, problem_of(error).text)
        else:
            self._put_off(upload_id, problem_of(error).text)

    async def _reserved(self, upload_id: str, storage_path: str) -> None:
        if upload_id in self._all:
            self._link.succeeded()
            self._asked.forget()
            await self._change(upload_id, storage_path=storage_path)

    def _meter(self, upload_id: str) -> Callable[[int], None]:
        loop = asyncio.get_running_loop()
        speed = Speed(loop.time())

        def progress(sent: int) -> None:
            if (upload := self._all.get(upload_id)) is not None:
                self._show(replace(upload, sent=sent, speed=speed.note(loop.time(), sent)))

        return progress

    async def _finish(self, upload_id: str, storage_path: str) -> None:
        upload = self._all.get(upload_id)
        if upload is None:
            return  # it was just cancelled, and the canceller releases its path
        done = replace(upload, storage_path=storage_path)
        work = partial(finish_upload, upload=done, now=self._core.clock())
        await self._write([upload_id], work, lambda _written: self._show_done(done))

    def _show_done(self, done: Upload) -> None:
        self._failures.pop(done.id, None)
        self._broken.pop(done.id, None)
        self._asked.forget()
        if (upload := self._all.get(done.id)) is not None:
            path, size = done.storage_path, upload.size
            self._show(
                replace(upload, state=UploadState.DONE, sent=size, speed=0.0, storage_path=path, reason="")
            )
        self._core.changes.tell(Changes(catalogues=True))

    async def _fail(self, upload_id: str, reason: str) -> None:
        failed: dict[str, Any] = {"state": UploadState.FAILED, "speed": 0.0, "reason": reason}
        try:
            await self._change(upload_id, **failed)
        except Problem:
            if (upload := self._all.get(upload_id)) is not None:
                self._show(replace(upload, **failed))  # the next start finds out again

    def _put_off(self, upload_id: str, reason: str) -> None:
        upload = self._all.get(upload_id)
        if upload is None:
            return
        self._failures[upload_id] = failures = self._failures.get(upload_id, 0) + 1
        pace = self._core.pace
        delay = min(pace.backoff_max, pace.backoff * 2.0 ** min(failures, 16))
        self._not_before[upload_id] = asyncio.get_running_loop().time() + delay
        until = self._asked_until()
        self._show(
            replace(upload, state=UploadState.WAITING, sent=0, speed=0.0, reason=reason, asked_until=until)
        )

    async def _put(self, added: list[Upload]) -> None:
        def show(_written: None) -> None:
            for upload in added:
                self._show(upload)

        await self._write([one.id for one in added], partial(put_uploads, changed=added), show)

    async def _change(self, upload_id: str, **changed: Any) -> None:
        """Store and show changed attributes of an upload, unless it's done or removed. Raises Problem.

        Other attributes may be changed during the write.
        """

        def show(is_changed: bool) -> None:
            if is_changed and (upload := self._all.get(upload_id)) is not None:
                self._show(replace(upload, **changed))

        await self._write([upload_id], partial(change_upload, upload_id=upload_id, changed=changed), show)

    async def _write(
        self, upload_ids: list[str], work: Callable[[Connection], T], show: Callable[[T], None]
    ) -> None:
        """Write a change of uploads, and show the result. They aren't started before. Raises Problem.

        It's also shown if the caller is cancelled, because the write goes on.
        """
        written = asyncio.wrap_future(self._core.database.submit(work))
        self._hold(upload_ids)

        def end(done: asyncio.Future[T]) -> None:
            if not done.cancelled() and done.exception() is None:
                show(done.result())
            self._let_go(upload_ids)

        written.add_done_callback(end)
        with as_problem():
            await asyncio.shield(written)

    def _show(self, upload: Upload) -> None:
        self._all[upload.id] = upload
        self._told.tell(upload)

    async def _pause(self, now: float, wait: float) -> None:
        due = [now + wait] if wait > 0 else []
        if self._asked_until() is not None:
            due.append(now + self._core.pace.tick)  # the wall clock continues while the computer sleeps
        due += [until for until in self._not_before.values() if until > now]
        try:
            async with asyncio.timeout_at(min(due) if due else None):
                await self._wake.wait()
        except TimeoutError:
            pass

    def wake(self) -> None:
        """The service may be back."""
        self._wake.set()


def _new(file: LocalFile, now: int) -> Upload:
    if file.problem:
        raise Problem(file.problem, kind="invalid")
    return Upload(
        id=str(uuid4()),
        path=file.path,
        name=file.name,
        post_type=file.post_type,
        content_type=file.content_type,
        size=file.size,
        modified_ns=file.modified_ns,
        added_at=now,
        width=file.width,
        height=file.height,
        probed=file.probed,
        fingerprint=file.fingerprint,
    )


def _begun(upload: Upload) -> Upload:
    return replace(upload, state=UploadState.SENDING, sent=0, speed=0.0, reason="", asked_until=None)


def _look_closely(path: Path) -> LocalFile:
    file = look_again_at(path)
    return file if file.problem else replace(file, fingerprint=fingerprint(file.path, file.size))


def _as_found(upload: Upload, file: LocalFile) -> dict[str, Any]:
    """Return what changes if an upload starts over, with the file as it is now.

    The path of another file is released.
    """
    if file.problem:
        return {"state": UploadState.FAILED, "reason": file.problem}
    fresh = _new(file, upload.added_at)
    found = {one.name: getattr(fresh, one.name) for one in fields(fresh) if one.name not in _LASTING}
    same = (file.size, file.modified_ns) == (upload.size, upload.modified_ns)
    return found | {"storage_path": upload.storage_path if same else ""}
