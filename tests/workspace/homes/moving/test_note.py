"""A move that is cancelled while the disk is slow leaves nothing that the next start would continue."""

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.workspace.homes import Home, HomeKind, Homes, programs
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import Direction, MoveNote, pending_move
from app.workspace.messages import Problem
from app.workspace.network import Network

NOTE = MoveNote(direction=Direction.THERE, base_url="https://plan.example.com")


def quiet(_progress: MoveProgress) -> None:
    """Nobody looks at the progress."""


@contextmanager
def slow_disk(monkeypatch: pytest.MonkeyPatch, at: int) -> Iterator[tuple[threading.Event, threading.Event]]:
    """The ``at``-th flush sets the first event, and waits for the second one."""
    reached, released, flush = threading.Event(), threading.Event(), os.fsync
    left = at

    def slow(descriptor: int) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            reached.set()
            released.wait()
        flush(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", slow)
        try:
            yield reached, released
        finally:
            released.set()


@asynccontextmanager
async def stopped(work: Any, monkeypatch: pytest.MonkeyPatch, at: int) -> AsyncIterator[None]:
    """Cancels work at a flush, twice, as the disk is slow. The body runs once it has ended."""
    with slow_disk(monkeypatch, at) as (reached, released):
        working = asyncio.ensure_future(work)
        await asyncio.to_thread(reached.wait)
        working.cancel()
        await asyncio.sleep(0.01)
        working.cancel()
        asyncio.get_running_loop().call_later(0.05, released.set)
        with pytest.raises(asyncio.CancelledError):
            await working
        yield


def a_move(data: Path) -> Move:
    homes, credentials = Homes(data), Credentials(data)
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    return Move(homes, credentials, Network(data, credentials.secrets), home)


def left_by(data: Path) -> list[str]:
    return sorted(file.name for file in data.rglob("*") if file.is_file())


@pytest.mark.parametrize("at", [1, 2, 3, 4])
async def test_a_move_that_is_cancelled_while_it_is_noted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    move = a_move(tmp_path)
    async with stopped(move.begin(NOTE, "stp_rest_key"), monkeypatch, at):
        await asyncio.get_running_loop().shutdown_default_executor()
    assert left_by(tmp_path) == []


async def test_a_move_that_is_being_made_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    move = a_move(tmp_path)
    await move.begin(NOTE, "stp_rest_key")
    there = left_by(tmp_path)
    with pytest.raises(Problem, match="is being moved already"):
        await move.begin(NOTE, "stp_rest_key")
    assert left_by(tmp_path) == there
    assert len(there) == 2
    monkeypatch.setattr(os, "fsync", lambda _descriptor: None)
    await move.cancel(quiet)
    assert left_by(tmp_path) == []


async def test_a_move_that_could_not_be_flushed_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushes = count(1)

    def full(_descriptor: int) -> None:
        if next(flushes) == 4:
            raise OSError(28, "No space left on device")

    move = a_move(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Problem, match="the disk is full"):
        await move.begin(NOTE, "stp_rest_key")
    assert left_by(tmp_path) == []


class _Waiting:
    """Replaces the service's commands, which have nothing to do."""

    def __init__(self, *_arguments: str) -> None:
        pass

    def answer(self) -> dict[str, Any]:
        return {"accounts": [{"account_id": str(uuid4())}]}

    def stop(self) -> None:
        pass


async def test_a_move_that_is_cancelled_while_its_account_is_noted_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "Command", _Waiting)
    move = a_move(tmp_path)
    await move.begin(NOTE, "stp_rest_key")
    async with stopped(move.run(quiet), monkeypatch, 1):
        await move.cancel(quiet)
        await asyncio.get_running_loop().shutdown_default_executor()
    assert left_by(tmp_path) == []
    assert pending_move(Homes(tmp_path), move.home) is None


async def test_a_command_that_is_cancelled_while_it_starts_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    starting, may_start, stopped_commands = threading.Event(), threading.Event(), []

    class Slow(_Waiting):
        def __init__(self, *_arguments: str) -> None:
            starting.set()
            may_start.wait()

        def stop(self) -> None:
            stopped_commands.append(self)

    monkeypatch.setattr(programs, "Command", Slow)
    move = a_move(tmp_path)
    await move.begin(NOTE, "stp_rest_key")
    running = asyncio.ensure_future(move.run(quiet))
    await asyncio.to_thread(starting.wait)
    running.cancel()
    asyncio.get_running_loop().call_later(0.05, may_start.set)
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(stopped_commands) == 1
