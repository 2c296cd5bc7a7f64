"""The pane of files: full, empty, looked through, and with files on their way."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path

import httpx

from app.desktop.media.adding import ImportSheet
from app.desktop.media.columns import SIZE
from app.desktop.media.pane import MediaPane
from app.desktop.media.preview import Preview
from app.language import tr
from app.workspace.media.upload import UploadState
from app.workspace.messages import Problem
from tests.gallery.hands import click, the
from tests.gallery.samples import full_studio
from tests.gallery.scene import Screen
from tests.gallery.scenes.files import coat
from tests.gallery.service import StudioService
from tests.gallery.shelf import NAMES, ShelfService, full_shelf, motion, moving
from tests.gallery.stage import Stage
from tests.workspace.media.samples import written

SCREEN = Screen()
_MIB = 1024 * 1024


@SCREEN.scene("media", has_mockup=True)
async def full(stage: Stage) -> None:
    """Files, one of them chosen, and a queue in which one upload runs, one waits and one has failed."""
    service = full_shelf()
    service.held = {"PUT"}
    pane = await _filled(stage, service)
    uploads = pane._media.uploads
    lost = clip(stage.folder, "fitting-room-long-coat.mp4", 1, _MIB)
    looked = await pane._media.look_at([lost])
    lost.unlink()
    await uploads.add(looked)
    await stage.until(lambda: any(upload.is_failed for upload in uploads.all()))
    for number, name in enumerate(("studio-tour.mp4", "walk.mp4", "hem.mp4"), 3):
        await pane._media.add_files([clip(stage.folder, name, number, number * _MIB // 2)])
    pictures = await pane._media.add_files([coat(stage.folder, "lookbook-spread-12.jpg")])
    await uploads.pause(pictures[0].id)
    await stage.until(lambda: sum(one.state is UploadState.SENDING for one in uploads.all()) == 2)
    await stage.until(lambda: all(row.tile.has_picture for row in pane.queue.rows()[1:]))
    await asyncio.sleep(0.15)  # news of bytes come ten times a second


@SCREEN.scene("media-search")
async def searched(stage: Stage) -> None:
    pane = await _filled(stage, full_shelf())
    pane.toolbar.search.setText("loo")


@SCREEN.scene("media-list")
async def listed(stage: Stage) -> None:
    """A row for each file, sorted by size."""
    pane = await _filled(stage, full_shelf())
    pane.toolbar.form.set_value("list")
    click(pane.head.buttons[SIZE.title])
    pane.grid.setFocus()
    await stage.until(lambda: not pane.grid.thumbnails._running)


@SCREEN.scene("media-no-match")
async def no_match(stage: Stage) -> None:
    pane = await _filled(stage, full_shelf())
    pane.toolbar.kinds.set_value("video")
    pane.toolbar.search.setText("parsley")


@SCREEN.scene("media-empty")
async def empty(stage: Stage) -> None:
    service = full_studio()
    service.posts.clear()
    service.tells_usage = True
    pane = await _opened(stage, service)
    await stage.until(pane.empty.isVisible)


def clip(folder: Path, name: str, number: int, size: int) -> Path:
    """A real video, as large as it is wanted."""
    return written(folder, name, motion(number).ljust(size, b"\0"))


async def _opened(stage: Stage, service: StudioService) -> MediaPane:
    controller = await stage.controller(service)
    controller.window.go("media")
    return controller.media


async def _filled(stage: Stage, service: ShelfService) -> MediaPane:
    pane = await _opened(stage, service)
    await stage.until(lambda: pane.model.rowCount() == len(service.files))
    await stage.until(lambda: pane.grid.thumbnails._there and not pane.grid.thumbnails._running)
    return pane


@SCREEN.scene("media-preview")
async def preview(stage: Stage) -> None:
    pane = await _filled(stage, full_shelf())
    pane.grid.choose([pane.model.items[1].path])
    pane.grid.opened.emit()
    sheet = the(Preview, stage.window or pane)
    await stage.until(lambda: sheet.canvas.share > 0)


@SCREEN.scene("media-video")
async def watching(stage: Stage) -> None:
    """A video that is stored elsewhere, moved along to its middle."""
    sheet = await _watched(stage, moving(stage.folder, "spools.mp4").read_bytes())
    await stage.until(lambda: sheet.canvas.share > 0 and sheet.player.is_open)
    sheet.transport.position.setFocus()
    sheet.player.seek(sheet.player.length_ms * 2 // 5)
    await stage.until(lambda: sheet.transport.position.value() > 0)


@SCREEN.scene("media-video-damaged")
async def damaged(stage: Stage) -> None:
    content = moving(stage.folder, "spools.mp4").read_bytes()
    sheet = await _watched(stage, content[:4_000])
    told = tr("This video is damaged or has the wrong type. Export it again and add the new file.")
    await stage.until(lambda: sheet.transport.note.text() == told)


async def _watched(stage: Stage, content: bytes) -> Preview:
    service = full_shelf()
    path = next(path for path in service.files if "q-and-a" in path)
    service.files[path] = content
    pane = await _filled(stage, service)
    pane.grid.choose([path])
    pane.grid.opened.emit()
    return the(Preview, stage.window or pane)


@SCREEN.scene("media-delete")
async def delete(stage: Stage) -> None:
    """Two files, one of which is needed by an unpublished post."""
    pane = await _filled(stage, full_shelf())
    needed = next(item for item in pane.model.items if item.needed_by)
    free = next(item for item in pane.model.items if item.used_in and not item.needed_by)
    pane.grid.choose([needed.path, free.path])
    pane.grid.removed.emit()


@SCREEN.scene("media-import")
async def importing(stage: Stage) -> None:
    """An invalid URL is reported immediately."""
    pane = await _filled(stage, full_shelf())
    pane.adding.ask_for_address()
    sheet = the(ImportSheet, stage.window or pane)
    sheet.address.setText("okafor.studio, the coat")
    click(sheet.go)


@SCREEN.scene("media-queue-rest")
async def at_rest(stage: Stage) -> None:
    """An upload that is stored, and an import that came to nothing."""
    pane = await _filled(stage, full_shelf())
    await pane._media.add_files([coat(stage.folder, "coat-front.jpg")])
    pane._media.imports.begin("https://okafor.studio/press/coat-on-the-beach.jpg")
    await stage.until(lambda: len(pane.queue.rows()) == 2)
    await stage.until(lambda: all(row.again.isVisible() or row.see.isVisible() for row in pane.queue.rows()))
    await stage.until(lambda: pane.model.rowCount() == len(NAMES) + 1)


@dataclass
class _EndingService(ShelfService):
    """Every upload ends in the way that is set."""

    ending: Callable[[httpx.Request], httpx.Response] | None = None

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.method == "PUT" and self.ending is not None:
            return self.ending(request)
        return super().answer(request)


_CODES = {403: "forbidden", 429: "rate_limited", 500: "internal_error"}


def _told(status: int, message: str, wait: int = 0) -> Callable[[httpx.Request], httpx.Response]:
    said = {"error": {"code": _CODES[status], "message": message}, "request_id": "req-1"}
    headers = {"Retry-After": str(wait)} if wait else None
    return lambda _request: httpx.Response(status, json=said, headers=headers)


def _dropped(request: httpx.Request) -> httpx.Response:
    raise httpx.WriteError("reset", request=request)


def _stalled(request: httpx.Request) -> httpx.Response:
    raise httpx.WriteTimeout("nothing moved", request=request)


_DISK = "The service's disk is full, so nothing was stored. Free some space there."
_ENDINGS = {
    "dropped": _dropped,
    "expired": _told(403, "The link has expired. Request a new one."),
    "asleep": _stalled,
    "disk-full": _told(500, _DISK),
    "asked-to-wait": _told(429, "Slower, please.", wait=3_600),
}


async def _ended(stage: Stage, ending: Callable[[httpx.Request], httpx.Response]) -> None:
    shelf = full_shelf()
    service = _EndingService(**{field.name: getattr(shelf, field.name) for field in fields(shelf)})
    service.ending = ending
    pane = await _filled(stage, service)
    await pane._media.add_files([clip(stage.folder, "fitting-room-long-coat.mp4", 1, _MIB)])
    await stage.until(lambda: any(one.is_put_off for one in pane._media.uploads.all()))
    await stage.until(lambda: pane.queue.rows() and pane.queue.rows()[0].again.isVisible())
    await stage.until(lambda: pane.queue.rows()[0].tile.has_picture)


for _name, _ending in _ENDINGS.items():
    SCREEN.scene(f"media-ends-{_name}")(partial(_ended, ending=_ending))


@SCREEN.scene("media-ends-no-room")
async def without_room(stage: Stage) -> None:
    """The quota was used up by others between the look at it and the upload."""
    service = full_shelf()
    service.held = {"PUT"}
    pane = await _filled(stage, service)
    uploads = pane._media.uploads
    looked = await pane._media.look_at([clip(stage.folder, "fitting-room-long-coat.mp4", 1, _MIB)])
    service.room = sum(len(content) for content in service.files.values() if content)
    await uploads.add(looked)
    await stage.until(lambda: any(upload.is_failed for upload in uploads.all()))
    await stage.until(lambda: pane.queue.rows() and pane.queue.rows()[0].tile.has_picture)


@SCREEN.scene("media-limit")
async def limited(stage: Stage) -> None:
    """A limit is in force, and another one can be chosen."""
    pane = await _filled(stage, full_shelf())
    await pane._media.uploads.limit.set(2 * _MIB)
    pane.queue.limit.choose()


@SCREEN.scene("media-failed")
async def unreadable(stage: Stage) -> None:
    """The list cannot be read."""
    pane = await _filled(stage, full_shelf())
    pane._show_failed(Problem("The list of files cannot be read: the disk does not answer."))
