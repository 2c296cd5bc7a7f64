"""Where files are probed and copies are made, by a helper process."""

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from app.contract.enums import PostType
from app.disk import replace
from app.language import tr
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError, HelperTrouble, Progress
from app.media.probe_result import Fault, ProbeResult
from app.media.protocol import TOO_LARGE, Line
from app.media.recipe import Recipe
from app.workspace import system_words
from app.workspace.messages import Problem

T = TypeVar("T")

_TOO_LARGE: Final = tr(
    "This file is too large for Kalends to repair. Make it smaller in another program, then add it."
)
_NOT_MADE: Final = tr("Couldn't make a copy: the file is damaged. Export it again and add the new file.")
_DISK: Final = tr("Couldn't write the copy: {why}. Free up space, then try again.")


class Workshop:
    """Probes one file after the other, and makes one copy at a time. For the event loop's thread.

    ``command`` starts a program that speaks as `app.media.worker` does; ``patience`` is in seconds.
    """

    def __init__(self, *, command: Sequence[str] = BACKGROUND_COMMAND, patience: float = PATIENCE_S) -> None:
        self._command = command
        self._patience = patience
        self._probing, self._copying = asyncio.Semaphore(1), asyncio.Semaphore(1)

    async def probe(self, files: Sequence[tuple[Path, str]]) -> list[ProbeResult]:
        """Find out what is inside files, given with their MIME types.

        A file that ends the program is unreadable; of one that takes too long nothing is known.
        """
        async with self._probing:
            return await self._with_helper(lambda helper: [_probe(helper, *file) for file in files])

    async def copy(
        self, path: Path, target: Path, recipe: Recipe, probed: ProbeResult, progress: Progress
    ) -> None:
        """Write a copy at ``target``, whose folder exists. Cancelling stops immediately, and leaves none.

        ``progress`` receives from 0 to 1 how much is done. Raises Problem, and then leaves no copy either.
        """
        loop = asyncio.get_running_loop()
        part = target.with_name(f".{target.name}.part")
        asked: Line = {"do": "copy", "path": str(path), "target": str(part)}
        asked |= {"recipe": recipe.to_json(), "probed": probed.to_json()}

        def report(share: float) -> None:
            loop.call_soon_threadsafe(progress, share)

        async with self._copying:
            try:
                _require_made(await self._with_helper(lambda helper: _copy(helper, asked, report)))
                await asyncio.to_thread(_finish, part, target)
            finally:
                part.unlink(missing_ok=True)

    async def _with_helper(self, work: Callable[[Helper], T]) -> T:
        helper = Helper(self._command, self._patience)
        working = asyncio.ensure_future(asyncio.to_thread(_worked, helper, work))
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            helper.stop()
            await asyncio.wait([working])
            raise


def _finish(part: Path, target: Path) -> None:
    """Gives a copy its name once its bytes are on the disk, so that no power cut leaves half of one there."""
    with part.open("r+b") as opened:
        os.fsync(opened.fileno())
    replace(part, target)


def _worked(helper: Helper, work: Callable[[Helper], T]) -> T:
    try:
        return work(helper)
    finally:
        helper.close()


def _probe(helper: Helper, path: Path, content_type: str) -> ProbeResult:
    post_type = PostType.VIDEO if content_type.startswith("video/") else PostType.IMAGE
    asked = {"do": "probe", "path": str(path), "post_type": post_type.value, "whole": True}
    try:
        told, _ = helper.ask(asked)
    except HelperError as error:
        died = error.trouble is HelperTrouble.DIED
        return ProbeResult(fault=Fault.UNREADABLE) if died else ProbeResult()
    return ProbeResult.from_json(told["done"]) if "done" in told else ProbeResult()


def _copy(helper: Helper, asked: Line, progress: Progress) -> Line:
    """The answer; empty where there is none."""
    try:
        told, _ = helper.ask(asked, progress=progress)
    except HelperError:
        return {}
    return told


def _require_made(told: Line) -> None:
    if "done" in told:
        return
    if "disk" in told:
        raise Problem(_DISK.format(why=system_words.in_words(told["disk"])), kind="failed")
    raise Problem(_TOO_LARGE if told.get("fault") == TOO_LARGE else _NOT_MADE, kind="invalid")
