"""Killed during an import or a repair: nothing is done twice, lost, or half done."""

import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from app.contract.posts import PostListQuery
from app.workspace.exchange.csv_import import RowState
from tests.journeys.conftest import Play
from tests.journeys.stage import ZONE, Actor, Stage
from tests.media.samples import made_video

_ROWS = 300


def kill_at_work(stage: Stage, what: str, path: Path, is_enough: Callable[[], bool]) -> None:
    """Let another program start something with a file, and kill it at some point."""
    arguments = [what, path, stage.folder / "app", stage.wire.base_url, stage.folder / "key"]
    command = [sys.executable, "-m", "tests.journeys.killed_at_work", *map(str, arguments)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert "begun\n" in iter(program.stdout.readline, "")
        while not is_enough():
            assert program.poll() is None
            time.sleep(0.005)
        program.kill()


def table(folder: Path) -> Path:
    path = folder / "plan.csv"
    rows = [f"Post number {n},linkedin,2035-12-{n % 28 + 1:02} {n % 24:02}:{n % 60:02}" for n in range(_ROWS)]
    path.write_text("\n".join(["Text,Account,Date", *rows]), "utf-8")
    return path


async def import_again(actor: Actor, path: Path) -> Counter[RowState]:
    exchange = actor.workspace.csv
    file = await exchange.read(path, ZONE.key)
    run = exchange.begin(file, await exchange.check(file, file.choices))
    await run.run()
    await actor.until(lambda: not run.counts().get(RowState.KEPT))
    run.close()
    return Counter(run.counts())


async def texts_at(stage: Stage) -> list[str]:
    """Return all texts at the service, with duplicates."""
    client = stage.service.client()
    pages = [page async for page in client.posts(PostListQuery(limit=100))]
    await client.close()
    return sorted(post.description or "" for page in pages for post in page.data)


@pytest.mark.variation
@pytest.mark.parametrize("requests", [0, 4])
def test_a_table_whose_import_was_killed_is_imported_again_without_a_post_twice(
    stage: Stage, play: Play, requests: int
) -> None:
    path = table(stage.folder)

    async def before() -> None:
        async with stage.app() as actor:
            await actor.connect("linkedin")

    async def after() -> None:
        async with stage.app() as actor:
            counts = await import_again(actor, path)
            assert counts[RowState.SENT] + counts[RowState.THERE] == _ROWS
            await actor.until(lambda: actor.workspace.sync.waiting == 0)
            assert len(actor.workspace.posts) == _ROWS
            assert await texts_at(stage) == sorted(f"Post number {n}" for n in range(_ROWS))

    play(before())
    kill_at_work(stage, "table", path, lambda: len(stage.wire.sent("POST", "/posts/bulk")) >= requests)
    play(after())


@pytest.mark.variation
def test_a_repair_that_was_killed_leaves_the_file_as_it_is_and_offers_no_half_one(
    stage: Stage, play: Play
) -> None:
    path = made_video(stage.folder, "film.mkv", codec="ffv1", size=(640, 480), seconds=20)
    content, copies = path.read_bytes(), list[Path]()

    def a_part_is_there() -> bool:
        copies[:] = stage.folder.glob("app/homes/*/workspace.copies/*/.*.part")
        return any(copy.stat().st_size for copy in copies)

    async def before() -> None:
        async with stage.app() as actor:
            await actor.connect("x")

    async def after() -> None:
        async with stage.app() as actor:
            panel = actor.controller.panels.compose()
            await actor.until(lambda: panel.model.upload is not None)
            assert panel.model.upload is not None
            assert panel.model.upload.path == path
            assert [one.path for one in actor.workspace.media.uploads.all()] == [path]
            await actor.until(lambda: not any(copy.parent.exists() for copy in copies))
            await actor.until(panel.repair.make.isVisible)
            panel.repair.make.click()
            await actor.until(lambda: bool((file := panel.model.upload) and file.name == "film.mp4"))

    play(before())
    kill_at_work(stage, "repair", path, a_part_is_there)
    assert path.read_bytes() == content
    play(after())
    assert path.read_bytes() == content
