"""Repairs files for posts: describes the changes of a copy, makes it in a helper process, and stores it."""

import asyncio
import logging
import os
import shutil
import uuid
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Final, TypeVar

from app.contract.enums import PostType
from app.contract.media_kinds import kind_of
from app.disk import replace as replace_file
from app.language import tr
from app.media.helper import BACKGROUND_COMMAND, PATIENCE_S, Helper, HelperError, HelperTrouble, Progress
from app.media.protocol import TOO_LARGE, Fault, Line, ProbeResult, Recipe
from app.workspace import foreign_texts
from app.workspace.media.local_file import LocalFile, look_at_one, problem_with
from app.workspace.media.upload import Upload
from app.workspace.messages import Problem
from app.workspace.repair.planning import Subject, Target, Wishes, issues, plan
from app.workspace.safe_names import safe_name

T = TypeVar("T")

_TOO_LARGE: Final = tr(
    "This file is too large for Kalends to repair. Make it smaller in another program, then add it."
)
_NOT_MADE: Final = tr("Couldn't make a copy: the file is damaged. Export it again and add the new file.")
_DISK: Final = tr("Couldn't write the copy: {why}. Free up space, then try again.")
_CHANGED: Final = tr("“{name}” has changed or moved since you added it. Add it again, then repair it.")
_NOT_ENOUGH: Final = tr("The copy still doesn't meet the requirements. {why}")
_log = logging.getLogger(__name__)


class Workshop:
    """Probes files one by one, and makes one copy at a time. For the event loop's thread.

    ``command`` starts a program with the protocol of `app.media.worker`; ``patience`` is its time limit in s.
    """

    def __init__(self, *, command: Sequence[str] = BACKGROUND_COMMAND, patience: float = PATIENCE_S) -> None:
        self._command = command
        self._patience = patience
        self._probing, self._copying = asyncio.Semaphore(1), asyncio.Semaphore(1)

    async def probe(self, files: Sequence[tuple[Path, str]]) -> list[ProbeResult]:
        """Find out the properties of files, given with their MIME types.

        A file that crashes the program is unreadable; for one that takes too long, nothing is known.
        """
        async with self._probing:
            return await self._with_helper(lambda helper: [_probe(helper, *file) for file in files])

    async def copy(
        self, path: Path, target: Path, recipe: Recipe, probed: ProbeResult, progress: Progress
    ) -> None:
        """Write a copy to ``target``, whose folder exists. Cancelling stops immediately and leaves no file.

        ``progress`` is called with the progress from 0 to 1. Raises Problem, and then leaves no file either.
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
    """Flush a copy to disk before renaming it, so that a power cut never leaves a partial one."""
    with part.open("r+b") as opened:
        os.fsync(opened.fileno())
    replace_file(part, target)


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
    """Return the answer; empty if the helper failed."""
    try:
        told, _ = helper.ask(asked, progress=progress)
    except HelperError:
        return {}
    return told


def _require_made(told: Line) -> None:
    if "done" in told:
        return
    if "disk" in told:
        raise Problem(_DISK.format(why=foreign_texts.in_words(told["disk"])), kind="failed")
    raise Problem(_TOO_LARGE if told.get("fault") == TOO_LARGE else _NOT_MADE, kind="invalid")


class Repairs:
    """``folder`` contains the copies, each in its own folder. For the event loop's thread."""

    def __init__(self, folder: Path, workshop: Workshop | None = None) -> None:
        self._folder = folder
        self._workshop = workshop or Workshop()

    async def look_inside(self, files: Sequence[LocalFile]) -> list[LocalFile]:
        """Return the files with their probe results; an unusable one gets a ``problem``."""
        whole = [file for file in files if not file.problem]
        if not whole:
            return list(files)
        found = iter(await self._workshop.probe([(file.path, file.content_type) for file in whole]))
        return [file if file.problem else _with(file, next(found)) for file in files]

    async def copy(
        self, file: Upload | LocalFile, recipe: Recipe, targets: Collection[Target], told: Progress
    ) -> Path:
        """Make a copy that these platforms accept, and return its path. The file itself is only read.

        ``told`` is called with the progress from 0 to 1. Cancelling stops immediately and leaves no file.
        Raises Problem, and then leaves no file either.
        """
        await self._require_unchanged(file)
        target = self._folder / str(uuid.uuid4()) / name_of_copy(file.name, recipe)
        try:
            await asyncio.to_thread(_make_folder, target.parent)
            await self._workshop.copy(file.path, target, recipe, file.probed or ProbeResult(), told)
            await self._require_taken(target, targets)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, target.parent, ignore_errors=True))
            raise
        return target

    async def keep(self, name: str, content: bytes) -> Path:
        """Save data that isn't a file yet, such as a pasted picture, and return its path. Raises Problem."""
        target = self._folder / str(uuid.uuid4()) / safe_name(name)
        await asyncio.to_thread(_make_folder, target.parent)
        try:
            await asyncio.to_thread(_write, target, content)
        except OSError as error:
            await asyncio.to_thread(shutil.rmtree, target.parent, ignore_errors=True)
            raise _not_written(error) from error
        return target

    async def forget_all_but(self, paths: Iterable[Path]) -> None:
        """Delete copies that aren't needed any more; ``paths`` are the files to keep."""
        needed = {path.parent for path in paths if path.is_relative_to(self._folder)}
        await asyncio.to_thread(clear_all_but, self._folder, needed)

    async def _require_unchanged(self, file: Upload | LocalFile) -> None:
        now = await asyncio.to_thread(look_at_one, file.path)
        if (now.size, now.modified_ns) != (file.size, file.modified_ns):
            raise Problem(_CHANGED.format(name=file.name), kind="invalid")

    async def _require_taken(self, target: Path, targets: Collection[Target]) -> None:
        (made,) = await self.look_inside([await asyncio.to_thread(look_at_one, target)])
        left = [made.problem] if made.problem else issues(subject_of(made), targets)
        if left:
            raise Problem(_NOT_ENOUGH.format(why=" ".join(left)), kind="invalid")


def subject_of(file: Upload | LocalFile) -> Subject:
    """Return a file as input for planning; for a file that wasn't probed, only its size is known."""
    probed = file.probed or ProbeResult(width=file.width, height=file.height)
    return Subject(file.post_type, file.content_type, file.size, probed)


def can_be_repaired(file: Upload | LocalFile, target: Target) -> bool:
    """Whether a platform that refuses the file would accept a copy."""
    try:
        return plan(subject_of(file), [target]) is not None
    except Problem:
        return False


def repair_of(
    file: Upload | LocalFile, targets: Collection[Target], wishes: Wishes | None = None
) -> Recipe | None:
    """Return the recipe of a copy that these platforms accept; None if it isn't needed or not possible."""
    try:
        return plan(subject_of(file), targets, wishes)
    except Problem:
        return None


def _with(file: LocalFile, probed: ProbeResult) -> LocalFile:
    width, height = probed.width or file.width, probed.height or file.height
    problem = problem_with(probed, file.name)
    return replace(file, probed=probed, width=width, height=height, problem=problem)


def name_of_copy(name: str, recipe: Recipe) -> str:
    """Return the display name of the copy, with the file extension of its new type."""
    kind = kind_of(recipe.content_type)
    ending = kind.extension if kind else "bin"
    stem = PurePosixPath(name.replace("/", " ").replace("\\", " ")).stem
    return safe_name(f"{stem}.{ending}", (ending,))


def _write(target: Path, content: bytes) -> None:
    """Write a file and flush it to disk, so that uploads have all of it even after a power cut."""
    with target.open("wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(opened.fileno())


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, mode=0o700)
    except OSError as error:
        raise _not_written(error) from error


def _not_written(error: OSError) -> Problem:
    why = foreign_texts.why(error)
    return Problem(tr("Couldn't write the copy: {why}. Free up space, then try again.", why=why))


def clear_all_but(folder: Path, needed: set[Path]) -> None:
    """Delete what is in a folder, except some entries. Errors are logged."""
    try:
        unneeded = [each for each in folder.iterdir() if each not in needed] if folder.is_dir() else []
    except OSError as error:
        _log.warning("old copies could not be removed: %s", error.strerror)
        return
    for each in unneeded:
        shutil.rmtree(each, ignore_errors=True)
