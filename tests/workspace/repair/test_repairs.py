"""From a file that platforms refuse to a copy that they accept, and helper processes that die or hang."""

import asyncio
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from app.contract.enums import PostingPlatform
from app.media.protocol import JPEG, MP4, Fault, ProbeResult, Recipe
from app.workspace.media.local_file import LocalFile, look_at, look_at_one
from app.workspace.messages import Problem
from app.workspace.repair.planning import Target, issues, plan
from app.workspace.repair.repairs import Repairs, Workshop, subject_of
from app.workspace.rules import RULES
from tests.media.heic import made_heic
from tests.media.samples import cut_off, made_video, photo
from tests.processes import children, resident_bytes
from tests.workspace.opened import until

INSTAGRAM, X, LINKEDIN = PostingPlatform.INSTAGRAM, PostingPlatform.X, PostingPlatform.LINKEDIN


async def repaired(folder: Path, path: Path, targets: Collection[Target]) -> LocalFile:
    """The copy, looked into."""
    repairs = Repairs(folder / "copies")
    (file,) = await repairs.look_inside([look_at_one(path)])
    recipe = plan(subject_of(file), targets)
    assert recipe is not None
    copy = await repairs.copy(file, recipe, targets, lambda _share: None)
    (made,) = await repairs.look_inside([look_at_one(copy)])
    return made


async def test_a_tall_picture_of_a_phone_is_taken_by_three_platforms(tmp_path: Path) -> None:
    path = made_heic(tmp_path, "Fotografía.heic", (480, 1_200))
    before = path.read_bytes()
    platforms = (INSTAGRAM, PostingPlatform.PINTEREST, PostingPlatform.TIKTOK)
    targets = [Target(each) for each in platforms]
    made = await repaired(tmp_path, path, targets)
    assert issues(subject_of(made), targets) == []
    assert (made.name, made.content_type, made.width, made.height) == (
        "Fotografía.jpg",
        "image/jpeg",
        480,
        600,
    )
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "platform",
    [INSTAGRAM, *(pytest.param(one, marks=pytest.mark.variation) for one in (X, PostingPlatform.TIKTOK))],
)
async def test_a_film_that_no_platform_knows_is_taken(platform: PostingPlatform, tmp_path: Path) -> None:
    path = made_video(tmp_path, "film.mkv", codec="ffv1", size=(480, 400), sound="pcm_s16le")
    made = await repaired(tmp_path, path, [Target(platform)])
    assert issues(subject_of(made), [Target(platform)]) == []
    assert made.content_type == MP4


async def test_a_long_film_is_taken_by_x(tmp_path: Path) -> None:
    path = made_video(tmp_path, "long.mp4", size=(64, 48), seconds=150, rate=2, sound="aac")
    made = await repaired(tmp_path, path, [Target(X)])
    assert issues(subject_of(made), [Target(X)]) == []


async def test_a_copy_that_is_still_refused_is_not_kept(tmp_path: Path) -> None:
    """LinkedIn wants more bytes than a copy may turn out to have."""

    repairs = Repairs(tmp_path / "copies")
    path = made_video(tmp_path, "film.mov", codec="prores_ks", pixels="yuv422p10le")
    (file,) = await repairs.look_inside([look_at_one(path)])
    recipe = plan(subject_of(file), [Target(LINKEDIN)])
    assert recipe is not None
    with pytest.raises(
        Problem, match=r"The copy still doesn't meet the requirements\. LinkedIn needs at least 75 KB"
    ):
        await repairs.copy(file, recipe, [Target(LINKEDIN)], lambda _share: None)
    assert list((tmp_path / "copies").iterdir()) == []


async def test_a_file_that_was_changed_meanwhile_is_not_copied(tmp_path: Path) -> None:
    repairs = Repairs(tmp_path / "copies")
    (file,) = await repairs.look_inside([look_at_one(photo(tmp_path, "a.webp"))])
    photo(tmp_path, "a.webp", (10, 10))
    with pytest.raises(Problem, match="has changed or moved"):
        await repairs.copy(file, Recipe("image/jpeg"), [Target(INSTAGRAM)], lambda _share: None)


async def test_only_copies_that_are_needed_are_kept(tmp_path: Path) -> None:
    repairs = Repairs(tmp_path / "copies")
    (file,) = await repairs.look_inside([look_at_one(photo(tmp_path, "a.webp"))])
    copies = [
        await repairs.copy(file, Recipe("image/jpeg"), [Target(INSTAGRAM)], lambda _share: None)
        for _ in range(2)
    ]
    await repairs.forget_all_but([copies[0], tmp_path / "a.webp"])
    assert [copy.exists() for copy in copies] == [True, False]
    assert (tmp_path / "a.webp").exists()


async def test_what_cannot_be_looked_into_keeps_its_problem(tmp_path: Path) -> None:
    files = look_at([tmp_path / "gone.jpg", cut_off(photo(tmp_path, "a.webp"))])
    gone, broken = await _looked(tmp_path, files)
    assert gone.problem.startswith("Couldn't read “gone.jpg”")
    assert broken.problem == "“a.webp” is incomplete. Copy or download it again, then add it again."


async def test_five_hundred_odd_files_get_a_verdict(tmp_path: Path) -> None:
    """Ten kinds, each whole and cut, changed and renamed in every way: none takes anybody down."""
    files, whole = _odd_files(tmp_path)
    found = await _looked(tmp_path, look_at(files))
    assert len(found) >= 500
    for file, is_whole in zip(found, whole, strict=True):
        assert bool(file.problem) or file.probed is not None
        if is_whole:
            assert file.problem == "", file.name
            for platform in RULES:
                issues(subject_of(file), [Target(platform)])
    assert sum(bool(file.problem) for file in found) > 200


def _odd_files(folder: Path) -> tuple[list[Path], list[bool]]:
    kinds = [
        *(photo(folder, f"a.{ending}", (120, 90)) for ending in ("jpg", "png", "gif", "webp", "avif")),
        made_heic(folder, "a.heic", (128, 96)),
        made_video(folder, "a.mp4", size=(64, 48), seconds=2),
        made_video(folder, "a.mov", size=(64, 48), seconds=2, sound="aac"),
        made_video(folder, "a.webm", codec="libvpx", size=(64, 48), seconds=2),
        made_video(folder, "a.avi", codec="mpeg4", size=(64, 48), seconds=2),
    ]
    names = ("a.txt", "noending", ".jpg", "a" * 240 + ".mp4", "\N{PILE OF POO} ё́.png", "a\nb.jpg", "CON.png")
    paths: list[Path] = []
    whole: list[bool] = []
    for number, kind in enumerate(kinds):
        content = kind.read_bytes()
        for part in range(30):
            paths.append(_put(folder / f"cut-{number}-{part}", content[: len(content) * part // 40]))
            whole.append(False)
        for part in range(15):
            spoilt = bytearray(content)
            at = len(content) * part // 15
            spoilt[at : at + 9] = b"\xff\x00\x7f" * 3
            paths.append(_put(folder / f"spoilt-{number}-{part}", bytes(spoilt)))
            whole.append(False)
        for name in names:
            (folder / str(number)).mkdir(exist_ok=True)
            paths.append(_put(folder / str(number) / name, content))
            whole.append(True)
    return paths, whole


def _put(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


async def _looked(folder: Path, files: list[LocalFile]) -> list[LocalFile]:
    return await Repairs(folder / "copies").look_inside(files)


def program(text: str) -> tuple[str, ...]:
    """A program in place of the one that looks and makes."""
    return sys.executable, "-c", text


DIES = program("import os; input(); os.abort()")
HANGS = program("import time; input(); time.sleep(600)")
BABBLES = program("input(); print('no answer', flush=True); input()")


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


async def test_a_batch_is_looked_into_in_its_order_and_nothing_runs_afterwards(tmp_path: Path) -> None:
    files = [
        (photo(tmp_path, "a.png", (30, 20)), "image/png"),
        (cut_off(photo(tmp_path, "b.png", (50, 40))), "image/png"),
        (made_video(tmp_path, "c.mp4", size=(64, 48)), "video/mp4"),
    ]
    seen = await _look(Workshop(), files)
    assert [one.width for one in seen] == [30, None, 64]
    assert seen[1].fault is Fault.CUT_OFF
    assert children() == []


@pytest.mark.parametrize(("command", "fault"), [(DIES, Fault.UNREADABLE), (BABBLES, Fault.UNREADABLE)])
async def test_a_file_that_takes_its_program_down_is_unreadable(
    command: tuple[str, ...], fault: Fault, tmp_path: Path
) -> None:
    files = [(photo(tmp_path, name), "image/png") for name in ("a.png", "b.png")]
    seen = await _look(Workshop(command=command), files)
    assert seen == [ProbeResult(fault=fault)] * 2
    assert children() == []


async def test_of_a_file_that_takes_too_long_nothing_is_known(tmp_path: Path) -> None:
    workshop = Workshop(command=HANGS, patience=0.3)
    assert await _look(workshop, [(photo(tmp_path, "a.png"), "image/png")]) == [ProbeResult()]
    assert children() == []


async def test_where_no_program_can_be_started_nothing_is_known(tmp_path: Path) -> None:
    workshop = Workshop(command=("no-such-program",))
    assert await _look(workshop, [(photo(tmp_path, "a.png"), "image/png")]) == [ProbeResult()]


async def test_a_copy_appears_whole_and_alone(tmp_path: Path) -> None:
    source = photo(tmp_path, "a.webp")
    await Workshop().copy(source, tmp_path / "a.jpg", Recipe(JPEG), ProbeResult(), print)
    assert left(tmp_path) == ["a.jpg", "a.webp"]


@pytest.mark.variation
async def test_how_far_a_copy_is_is_told_on_the_way(tmp_path: Path) -> None:
    told: list[float] = []

    source = made_video(tmp_path, "a.mp4", size=(640, 480), seconds=20)
    seen = (await Workshop().probe([(source, MP4)]))[0]
    await Workshop().copy(source, tmp_path / "b.mp4", Recipe(MP4, encodes_video=True), seen, told.append)
    assert told
    assert told == sorted(told)


@pytest.mark.parametrize(
    ("command", "words"),
    [(DIES, "Couldn't make a copy"), (HANGS, "Couldn't make a copy"), (BABBLES, "Couldn't make a copy")],
)
async def test_a_copy_that_fails_says_so_and_leaves_nothing(
    command: tuple[str, ...], words: str, tmp_path: Path
) -> None:
    source = photo(tmp_path, "a.webp")
    workshop = Workshop(command=command, patience=0.3)
    with pytest.raises(Problem, match=words):
        await workshop.copy(source, tmp_path / "a.jpg", Recipe(JPEG), ProbeResult(), print)
    assert left(tmp_path) == ["a.webp"]
    assert children() == []


async def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    source, target = photo(tmp_path, "a.webp"), tmp_path / "gone" / "a.jpg"
    with pytest.raises(Problem):
        await Workshop().copy(source, target, Recipe(JPEG), ProbeResult(), print)


async def test_cancelling_ends_the_program_and_leaves_nothing(tmp_path: Path) -> None:
    source = made_video(tmp_path, "a.mp4", size=(640, 480), seconds=60)

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


async def test_the_loop_goes_on_while_a_program_works(tmp_path: Path) -> None:
    looking = asyncio.create_task(_look(Workshop(command=HANGS), [(photo(tmp_path, "a.png"), "image/png")]))
    await until(lambda: len(children()) == 1)
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking
    assert children() == []


@pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")
async def test_memory_of_a_program_has_a_limit(tmp_path: Path) -> None:
    """A 4K video, which takes a coder the most: its program stays far below what it may have."""
    source = made_video(tmp_path, "a.mp4", size=(3840, 2160), seconds=1)
    most = 0

    recipe = Recipe(MP4, encodes_video=True)
    making = asyncio.create_task(
        Workshop().copy(source, tmp_path / "b.mp4", recipe, ProbeResult(3840, 2160, 1000), print)
    )
    while not making.done():
        most = max([most, *map(resident_bytes, children())])
        await asyncio.sleep(0.02)
    await making
    assert 0 < most < 1024**3


async def _look(workshop: Workshop, files: list[tuple[Path, str]]) -> list[ProbeResult]:
    return await workshop.probe(files)
