"""A command that stays busy stops a move; it doesn't count as done."""

from pathlib import Path
from uuid import uuid4

import pytest

from app.workspace.homes import Home, HomeKind, Homes, programs
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving import export
from app.workspace.homes.moving.move import Move
from app.workspace.homes.moving.note import Direction, MoveNote, pending_move
from app.workspace.network import Network


def busy(*_arguments: str) -> None:
    raise programs.ProgramEndedError("Another command is working on the export.", "service", 75)


async def test_a_calendar_isnt_taken_back_while_another_command_has_the_export(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "Command", busy)
    monkeypatch.setattr(export, "_BUSY_MOST", 3)
    monkeypatch.setattr(export, "_AGAIN_EVERY_S", 0)
    homes, credentials = Homes(tmp_path), Credentials(tmp_path)
    home = Home(kind=HomeKind.EMBEDDED, name="Okafor Studio")
    move = Move(homes, credentials, Network(tmp_path, credentials.secrets), home)
    note = MoveNote(direction=Direction.THERE, base_url="https://plan.example.com", account_id=uuid4())
    await move.begin(note, "stp_rest_key")

    with pytest.raises(programs.ProgramEndedError, match="Another command"):
        await move.cancel(lambda _progress: None)
    assert pending_move(homes, home) == note.model_copy(update={"is_cancelled": True})
