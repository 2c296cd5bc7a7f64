"""A video being played: opened, asked for frames, closed. For the event loop's thread."""

import asyncio
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from app.language import tr
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError, HelperTrouble
from app.media.picture import Picture
from app.media.probe_result import Fault
from app.media.protocol import TOO_LARGE, Answer, Line
from app.workspace.messages import Problem

_SENTENCES: Final = {
    Fault.NO_PICTURE.value: tr("This file contains only audio, so there is nothing to show."),
    TOO_LARGE: tr("This video is too large to play here. Open it in another program."),
}
_NO_ANSWER: Final = {
    HelperTrouble.SILENT: tr("This video takes too long to decode here. Open it in another program."),
    HelperTrouble.NOT_STARTED: tr("Couldn't start the video decoder. Restart Kalends."),
}
_DAMAGED: Final = tr("This video is damaged or has the wrong type. Export it again and add the new file.")


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
