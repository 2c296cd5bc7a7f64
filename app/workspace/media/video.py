"""Videos being played: opened wherever they are, asked for frames, closed. For the event loop's thread."""

import asyncio
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from app.client import ServiceClient
from app.language import tr
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError, HelperTrouble
from app.media.protocol import TOO_LARGE, Answer, Fault, Line, Picture
from app.workspace import foreign_texts
from app.workspace.catalogues import KeptFile
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem
from app.workspace.problems import as_problem

_SENTENCES: Final = {
    Fault.NO_PICTURE.value: tr("This file contains only audio, so there is nothing to show."),
    TOO_LARGE: tr("This video is too large to play here. Open it in another program."),
}
_NO_ANSWER: Final = {
    HelperTrouble.SILENT: tr("This video takes too long to decode here. Open it in another program."),
    HelperTrouble.NOT_STARTED: tr("Couldn't start the video decoder. Restart Kalends."),
}
_DAMAGED: Final = tr("This video is damaged or has the wrong type. Export it again and add the new file.")
_FETCHED_MAX: Final = 256 * 1024 * 1024
"""Maximum size of a file that is downloaded for playback, in bytes."""
_TOO_LARGE: Final = tr(
    "This video isn't on this computer and is too large to stream. Save a copy to watch it."
)
_GONE: Final = tr("“{name}” has changed or moved since you added it. Add it again to watch it.")


class Video:
    """Created by ``open``; closing it ends the decoding process, and deletes a file that was made for it.

    Attributes:
        width: In pixels, as shown; ``height`` likewise.
        duration_ms: Duration; None if the file doesn't say.
        has_sound: Whether it has sound, which isn't played here.
    """

    def __init__(self, helper: Helper, told: dict[str, Any], own_file: Path | None) -> None:
        self._helper, self._own_file = helper, own_file
        self._is_closed = False
        self.width: int = told["width"]
        self.height: int = told["height"]
        self.duration_ms: int | None = told["duration_ms"]
        self.has_sound: bool = told["has_sound"]

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        own_file: Path | None = None,
        command: Sequence[str] = BACKGROUND_COMMAND,
        patience: float = PATIENCE_S,
    ) -> "Video":
        """Open a local file. ``own_file`` is deleted in the end, also if this fails.

        ``command`` starts a process with the protocol of `app.media.worker`; ``patience`` is in s. Raises
        Problem, one sentence.
        """
        helper = Helper(command, patience)
        try:
            told, _ = await asyncio.to_thread(_answer, helper, {"do": "open", "path": str(path)})
        except BaseException:
            _end(helper, own_file)
            raise
        return cls(helper, told, own_file)

    async def at(self, ms: int, box: tuple[int, int]) -> Picture:
        """Return the frame at a moment, scaled to fit into ``box`` pixels. Raises Problem, one sentence."""
        asked = {"do": "at", "ms": max(0, ms), "box": box}
        told, pixels = await asyncio.to_thread(_answer, self._helper, asked)
        return Picture(
            told["ms"], told["width"], told["height"], told["stride"], pixels, is_last=told["is_last"]
        )

    def close(self) -> None:
        """Stop decoding and end the process."""
        if not self._is_closed:
            self._is_closed = True
            _end(self._helper, self._own_file)


def _answer(helper: Helper, asked: Line) -> Answer:
    """The process's answer. Blocking. Raises Problem."""
    try:
        told, pixels = helper.ask(asked)
    except HelperError as error:
        is_invalid = error.trouble is not HelperTrouble.NOT_STARTED
        text = _NO_ANSWER.get(error.trouble, _DAMAGED)
        raise (Problem(text, kind="invalid") if is_invalid else Problem(text)) from error
    if "done" not in told:
        raise Problem(_SENTENCES.get(told.get("fault", ""), _DAMAGED), kind="invalid")
    return told["done"], pixels


def _end(helper: Helper, own_file: Path | None) -> None:
    """End the process; a thread cleans up after it."""
    helper.stop()

    def clear_away() -> None:
        helper.close()
        if own_file is not None:
            own_file.unlink(missing_ok=True)

    threading.Thread(target=clear_away).start()


class Watching:
    """Opens videos; the caller closes them. For the event loop's thread; every coroutine raises Problem."""

    def __init__(self, client: ServiceClient, uploads: Callable[[], Iterable[Upload]]) -> None:
        """``uploads`` returns all uploads: local files don't have to be downloaded."""
        self._client, self._uploads = client, uploads

    async def of_stored(self, file: KeptFile) -> Video:
        """Open the video of a stored file; it's downloaded first if it isn't on this computer."""
        for upload in self._uploads():
            if upload.is_done and upload.storage_path == file.storage_path and await is_there(upload):
                return await Video.open(upload.path)
        if file.size_bytes is not None and file.size_bytes > _FETCHED_MAX:
            raise Problem(_TOO_LARGE, kind="invalid")
        return await self._fetched(file)

    async def of_local(self, upload: Upload) -> Video:
        """Open the video of a local file that is attached, being uploaded, or stored."""
        if not await is_there(upload):
            raise Problem(_GONE.format(name=upload.name), kind="not_found")
        return await Video.open(upload.path)

    async def _fetched(self, file: KeptFile) -> Video:
        handle, name = await asyncio.to_thread(tempfile.mkstemp, prefix="kalends-")
        path = Path(name)
        try:
            with os.fdopen(handle, "wb") as opened, as_problem():
                view = await self._client.media.view(file.storage_path)
                await self._client.media.download(view, opened, _FETCHED_MAX)
        except BaseException as error:
            await asyncio.to_thread(path.unlink, missing_ok=True)
            if isinstance(error, OSError):
                why = foreign_texts.why(error)
                text = tr("Couldn't download this video: {why}. Free up space.", why=why)
                raise Problem(text) from error
            raise
        return await Video.open(path, own_file=path)


async def is_there(upload: Upload) -> bool:
    """Whether a local file is still the one that was added."""
    try:
        found = await asyncio.to_thread(upload.path.stat)
    except (OSError, ValueError):
        return False
    return (found.st_size, found.st_mtime_ns) == (upload.size, upload.modified_ns)
