"""Rows that are written soon: the newest of each name, again and again until the disk takes them."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection

from app.database import DatabaseError, DiskFullError
from app.workspace.changes import Changes
from app.workspace.clock import Pace
from app.workspace.core import Core
from app.workspace.drafts.drafts import DraftKeeper, KeptSoon
from app.workspace.editing.draft import ComposerDraft
from app.workspace.messages import Message
from tests.leaping import leap, run_leaping

Work = Callable[[Connection], None]
Rows = dict[str, int]


class Disk:
    """A database that takes or refuses a transaction when the test says so."""

    def __init__(self) -> None:
        self.rows: Rows = {}
        self.waiting: list[tuple[Work, Future[None]]] = []

    def submit(self, work: Work) -> Future[None]:
        self.waiting.append((work, Future()))
        return self.waiting[-1][1]

    async def commit(self, work: Work) -> None:
        work(cast("Connection", self.rows))

    async def finish(self, error: BaseException | None = None) -> None:
        """End the transaction that began first."""
        work, future = self.waiting.pop(0)
        if error is None:
            work(cast("Connection", self.rows))
            future.set_result(None)
        else:
            future.set_exception(error)
        await pass_by(0)


class Desk:
    """Rows that are put on a disk, and the messages about it."""

    def __init__(self) -> None:
        self.disk = Disk()
        self.said: list[Message] = []
        self.heard: list[Changes] = []
        told, changed = SimpleNamespace(tell=self.said.append), SimpleNamespace(tell=self.heard.append)
        core = SimpleNamespace(database=self.disk, commit=self.disk.commit, messages=told, changes=changed)
        core.pace = Pace(save_again=60)
        self.kept_soon = KeptSoon(cast("Core", core))

    async def put(self, **rows: int) -> None:
        """Put rows in one step of the loop."""
        for name, value in rows.items():
            self.kept_soon.put(name, partial(_write, name=name, value=value))
        await pass_by(0)


def _write(connection: Connection, name: str, value: int) -> None:
    cast("Rows", connection)[name] = value


async def pass_by(seconds: float) -> None:
    leap(seconds)
    for _ in range(10):
        await asyncio.sleep(0)


def play(story: Callable[[Desk], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        await story(Desk())

    run_leaping(run())


ACTIONS = st.lists(st.sampled_from(["a", "b", "c", "take", "refuse", "wait"]), max_size=20)


@settings(max_examples=50, deadline=None)
@given(ACTIONS)
def test_the_newest_rows_are_written_together_until_the_disk_has_them(actions: list[str]) -> None:
    async def story(desk: Desk) -> None:
        newest: Rows = {}
        is_refused, times_kept = False, 0
        warned: list[str] = []
        for number, action in enumerate([*actions, *["wait", "take"] * 3]):
            waits = bool(desk.disk.waiting)
            if action in "abc":
                newest[action] = number
                await desk.put(**{action: number})
                is_refused = False
            elif action == "wait":
                await pass_by(61)
                is_refused = False
            elif waits:
                await desk.disk.finish(DiskFullError("Full.") if action == "refuse" else None)
                is_refused = action == "refuse"
                if is_refused and (not warned or warned[-1] == "info"):
                    warned.append("error")
                if action == "take" and desk.disk.rows == newest:
                    times_kept += 1
                    if warned and warned[-1] == "error":
                        warned.append("info")
            is_kept = desk.disk.rows == newest
            assert desk.kept_soon.is_kept == is_kept
            assert len(desk.disk.waiting) == (0 if is_kept or is_refused else 1)
            assert [message.kind for message in desk.said] == warned
            assert desk.heard == [Changes(writing=True)] * times_kept
        assert desk.disk.rows == newest

    play(story)


def test_rows_of_one_step_are_in_one_transaction_and_later_ones_in_the_next() -> None:
    async def story(desk: Desk) -> None:
        await desk.put(a=1, b=1)
        await desk.put(b=2, c=2)
        await desk.disk.finish()
        assert desk.disk.rows == {"a": 1, "b": 1}
        await desk.put(a=1)
        assert len(desk.disk.waiting) == 1
        await desk.disk.finish()
        assert desk.disk.rows == {"a": 1, "b": 2, "c": 2}
        await desk.disk.finish()
        assert desk.kept_soon.is_kept

    play(story)


def test_a_refused_write_is_tried_again_a_while_after_the_last_attempt() -> None:
    async def story(desk: Desk) -> None:
        await desk.put(a=1)
        await desk.disk.finish(DiskFullError("Full."))
        await pass_by(30)
        assert desk.disk.waiting == []
        await desk.put(b=1)
        await desk.disk.finish(DiskFullError("Full."))
        await pass_by(40)
        assert desk.disk.waiting == []
        await pass_by(30)
        await desk.disk.finish()
        assert desk.disk.rows == {"a": 1, "b": 1}

    play(story)


@pytest.mark.parametrize("put_again", [False, True])
def test_at_the_end_everything_is_written_and_nothing_tried_again(put_again: bool) -> None:
    async def story(desk: Desk) -> None:
        await desk.kept_soon.flush()
        await desk.put(a=1)
        await desk.disk.finish(DiskFullError("Full."))
        if put_again:
            desk.kept_soon.put("b", partial(_write, name="b", value=2))
        await desk.kept_soon.flush()
        assert desk.disk.rows == ({"a": 1, "b": 2} if put_again else {"a": 1})
        await pass_by(600)
        assert len(desk.disk.waiting) == (1 if put_again else 0)

    play(story)


FULL = (
    "Your disk is full or can't be written, so your text isn't saved yet. Free up space and keep Kalends "
    "open; it keeps trying. Nothing saved earlier is lost."
)
NOT_YET = "Your text isn't saved yet. Keep Kalends open; it keeps trying to save it."


@pytest.mark.parametrize(
    ("error", "begins"), [(DiskFullError("Full."), FULL), (DatabaseError("It is locked."), NOT_YET)]
)
def test_a_message_says_why_a_text_is_not_saved_and_the_next_one_takes_its_place(
    error: DatabaseError, begins: str
) -> None:
    async def story(desk: Desk) -> None:
        await desk.put(a=1)
        await desk.disk.finish(error)
        [message] = desk.said
        assert message.text.startswith(begins)
        assert (message.text == begins) == isinstance(error, DiskFullError)
        await pass_by(61)
        await desk.disk.finish()
        assert (desk.said[1].kind, desk.said[1].text) == ("info", "Your text is saved now.")
        assert desk.said[1].about == message.about != ""

    play(story)


def test_the_end_of_the_program_is_no_problem_to_tell_of() -> None:
    async def story(desk: Desk) -> None:
        await desk.put(a=1)
        await desk.disk.finish(KeyboardInterrupt())
        assert desk.said == []
        assert not desk.kept_soon.is_kept

    play(story)


def test_a_text_written_while_the_last_one_is_read_is_not_replaced_by_it() -> None:
    async def story(desk: Desk) -> None:
        earlier, later = ComposerDraft("earlier"), ComposerDraft("later")
        read: asyncio.Future[ComposerDraft] = asyncio.get_running_loop().create_future()
        core = cast("Core", SimpleNamespace(read=lambda _: read))
        keeper = DraftKeeper(core, desk.kept_soon, lambda _: False)
        loading = [asyncio.create_task(keeper.load()) for _ in range(2)]
        await pass_by(0)
        keeper.save(later)
        read.set_result(earlier)
        assert await asyncio.gather(*loading) == [later, later]

        read = asyncio.get_running_loop().create_future()
        keeper = DraftKeeper(core, desk.kept_soon, lambda _: False)
        read.set_result(earlier)
        assert await keeper.load() is earlier
        read = asyncio.get_running_loop().create_future()
        assert await keeper.load() is earlier, "it's read once"
        keeper.save(None)
        assert await keeper.load() is None

    play(story)
