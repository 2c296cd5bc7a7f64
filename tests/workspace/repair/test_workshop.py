"""Programs that look and make: what becomes of those that die, hang, or are not wanted any longer."""

import asyncio
import sys
from pathlib import Path

import pytest

from app.media.probe_result import Fault, ProbeResult
from app.media.recipe import JPEG, MP4, Recipe
from app.workspace.messages import Problem
from app.workspace.repair.workshop import Workshop
from tests.media.samples import cut_off, made_video, photo
from tests.processes import children, resident_bytes
from tests.workspace.opened import until


def program(text: str) -> tuple[str, ...]:
    """A program in place of the one that looks and makes."""
    return sys.executable, "-c", text


DIES = program("import os; input(); os.abort()")
HANGS = program("import time; input(); time.sleep(600)")
BABBLES = program("input(); print('no answer', flush=True); input()")


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_batch_is_looked_into_in_its_order_and_nothing_runs_afterwards(tmp_path: Path) -> None:
    files = [
        (photo(tmp_path, "a.png", (30, 20)), "image/png"),
        (cut_off(photo(tmp_path, "b.png", (50, 40))), "image/png"),
        (made_video(tmp_path, "c.mp4", size=(64, 48)), "video/mp4"),
    ]
    seen = asyncio.run(_look(Workshop(), files))
    assert [one.width for one in seen] == [30, None, 64]
    assert seen[1].fault is Fault.CUT_OFF
    assert children() == []


@pytest.mark.parametrize(("command", "fault"), [(DIES, Fault.UNREADABLE), (BABBLES, Fault.UNREADABLE)])
def test_a_file_that_takes_its_program_down_is_unreadable(
    command: tuple[str, ...], fault: Fault, tmp_path: Path
) -> None:
    files = [(photo(tmp_path, name), "image/png") for name in ("a.png", "b.png")]
    seen = asyncio.run(_look(Workshop(command=command), files))
    assert seen == [ProbeResult(fault=fault)] * 2
    assert children() == []


def test_of_a_file_that_takes_too_long_nothing_is_known(tmp_path: Path) -> None:
    workshop = Workshop(command=HANGS, patience=0.3)
    assert asyncio.run(_look(workshop, [(photo(tmp_path, "a.png"), "image/png")])) == [ProbeResult()]
    assert children() == []


def test_where_no_program_can_be_started_nothing_is_known(tmp_path: Path) -> None:
    workshop = Workshop(command=("no-such-program",))
    assert asyncio.run(_look(workshop, [(photo(tmp_path, "a.png"), "image/png")])) == [ProbeResult()]


def test_a_copy_appears_whole_and_alone(tmp_path: Path) -> None:
    source = photo(tmp_path, "a.webp")
    asyncio.run(Workshop().copy(source, tmp_path / "a.jpg", Recipe(JPEG), ProbeResult(), print))
    assert left(tmp_path) == ["a.jpg", "a.webp"]


def test_how_far_a_copy_is_is_told_on_the_way(tmp_path: Path) -> None:
    told: list[float] = []

    async def work() -> None:
        source = made_video(tmp_path, "a.mp4", size=(640, 480), seconds=20)
        seen = (await Workshop().probe([(source, MP4)]))[0]
        await Workshop().copy(source, tmp_path / "b.mp4", Recipe(MP4, encodes_video=True), seen, told.append)

    asyncio.run(work())
    assert told
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("command", "words"),
    [(DIES, "Couldn't make a copy"), (HANGS, "Couldn't make a copy"), (BABBLES, "Couldn't make a copy")],
)
def test_a_copy_that_fails_says_so_and_leaves_nothing(
    command: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    source = photo(tmp_path, "a.webp")
    workshop = Workshop(command=command, patience=0.3)
    with pytest.raises(Problem, match=words):
        asyncio.run(workshop.copy(source, tmp_path / "a.jpg", Recipe(JPEG), ProbeResult(), print))
    assert left(tmp_path) == ["a.webp"]
    assert children() == []


def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    source, target = photo(tmp_path, "a.webp"), tmp_path / "gone" / "a.jpg"
    with pytest.raises(Problem):
        asyncio.run(Workshop().copy(source, target, Recipe(JPEG), ProbeResult(), print))


def test_cancelling_ends_the_program_and_leaves_nothing(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mp4", size=(640, 480), seconds=60)

    async def work() -> None:
        begun = asyncio.Event()
        recipe = Recipe(MP4, encodes_video=True)
        making = asyncio.create_task(
            Workshop().copy(
                source, tmp_path / "b.mp4", recipe, ProbeResult(640, 480, 60_000), lambda _share: begun.set()
            )
        )
        await begun.wait()
        assert len(children()) == 1
        making.cancel()
        with pytest.raises(asyncio.CancelledError):
            await making
        assert children() == []
        assert left(tmp_path) == ["a.mp4"]

    asyncio.run(work())


def test_the_loop_goes_on_while_a_program_works(tmp_path: Path) -> None:
    async def work() -> None:
        looking = asyncio.create_task(
            _look(Workshop(command=HANGS), [(photo(tmp_path, "a.png"), "image/png")])
        )
        await until(lambda: len(children()) == 1)
        looking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await looking

    asyncio.run(work())
    assert children() == []


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
def test_memory_of_a_program_has_a_limit(tmp_path: Path) -> None:
    """A 4K video, which takes a coder the most: its program stays far below what it may have."""
    source = made_video(tmp_path, "a.mp4", size=(3840, 2160), seconds=1)
    most = 0

    async def work() -> None:
        nonlocal most
        recipe = Recipe(MP4, encodes_video=True)
        making = asyncio.create_task(
            Workshop().copy(source, tmp_path / "b.mp4", recipe, ProbeResult(3840, 2160, 1000), print)
        )
        while not making.done():
            most = max([most, *map(resident_bytes, children())])
            await asyncio.sleep(0.02)
        await making

    asyncio.run(work())
    assert 0 < most < 1024**3


async def _look(workshop: Workshop, files: list[tuple[Path, str]]) -> list[ProbeResult]:
    return await workshop.probe(files)
