"""Cancelling a move: what is interrupted goes on, and a disk that can't be used is reported."""

import asyncio
import json
import threading
from collections.abc import Sequence
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
from tests.workspace.homes.moving.scripted import EXPORT, quiet, scripted

NOTE = MoveNote(direction=Direction.THERE, base_url="https://plan.example.com", account_id=uuid4())


def a_move(data: Path) -> Move:
    homes, credentials = Homes(data), Credentials(data)
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    return Move(homes, credentials, Network(data, credentials.secrets), home)


async def test_a_cancellation_that_is_interrupted_is_known_at_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running, stopped = threading.Event(), threading.Event()

    class Endless:
        def __init__(self, *_arguments: str) -> None:
            pass

        def answer(self) -> dict[str, Any]:
            running.set()
            stopped.wait()
            return {}

        def stop(self) -> None:
            stopped.set()

    monkeypatch.setattr(programs, "Command", Endless)
    move = a_move(tmp_path)
    await move.begin(NOTE, "stp_rest_key")
    cancelling = asyncio.ensure_future(move.cancel(quiet))
    await asyncio.to_thread(running.wait)
    cancelling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await cancelling
    note = pending_move(Homes(tmp_path), move.home)
    assert note is not None
    assert note.is_cancelled


async def test_a_cancelled_move_that_the_user_continues_is_no_longer_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_arguments: str) -> None:
        raise programs.ProgramEndedError("The data can't be read.", "service", 1)

    monkeypatch.setattr(programs, "Command", broken)
    move = a_move(tmp_path)
    await move.begin(NOTE.model_copy(update={"is_cancelled": True}), "stp_rest_key")
    with pytest.raises(Problem, match="can't be read"):
        await move.run(quiet)
    assert pending_move(Homes(tmp_path), move.home) == NOTE


async def test_a_disk_that_cant_be_used_while_cancelling_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments: list[Sequence[str]] = []

    def absent(*given: str) -> None:
        arguments.append(given)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(programs, "Command", absent)
    move = a_move(tmp_path)
    await move.begin(NOTE, "stp_rest_key")
    told: list[MoveProgress] = []
    with pytest.raises(Problem, match="the disk is full"):
        await move.cancel(told.append)
    assert [progress.text for progress in told] == ["Cancelling the move"]
    assert arguments[0][-1] == "--cancel"
    assert pending_move(Homes(tmp_path), move.home) is not None


async def test_a_cancellation_that_only_has_to_clean_up_needs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The export, by which the server would know what to refuse, is deleted before the note."""
    account, data = str(NOTE.account_id), tmp_path / "app"

    class Ready:
        def __init__(self, *_arguments: str) -> None:
            pass

        def answer(self) -> dict[str, Any]:
            return {}

    monkeypatch.setattr(programs, "Command", Ready)
    arrival = {"account_id": account, "export_id": EXPORT, "state": "cancelled", "done": 0, "missing": []}
    async with scripted(tmp_path, lambda *_: arrival) as server:
        move = await server.move(data, Direction.THERE)
        file = Homes(data).folder(move.home) / "moving.json"
        note = {**json.loads(file.read_bytes()), "account_id": account, "is_importing": True}
        file.write_text(json.dumps(note))
        export = file.parent / "moving" / account
        export.mkdir(parents=True)
        (export / "manifest.json").write_text(json.dumps({"export_id": EXPORT}))
        unlink = Path.unlink

        def locked(path: Path, *, missing_ok: bool = False) -> None:
            if path == file:
                raise PermissionError(13, "Permission denied")
            unlink(path, missing_ok=missing_ok)

        with monkeypatch.context() as patched:
            patched.setattr(Path, "unlink", locked)
            with pytest.raises(Problem, match="Couldn't use the files"):
                await move.cancel(quiet)
        assert not export.exists()
        await move.cancel(quiet)
        assert not file.exists()
    assert server.asked == ["POST /arrival/cancel"]
