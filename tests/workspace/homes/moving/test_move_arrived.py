"""A calendar that is back on this computer: the server deletes its copy only once the app knows that."""

from pathlib import Path
from typing import Any

import pytest

from app.workspace.homes import Homes, programs
from app.workspace.homes.moving.note import Direction, pending_move
from app.workspace.messages import Problem
from tests.workspace.homes.moving.scripted import ACCOUNT, quiet, scripted


@pytest.mark.parametrize("is_late", [False, True])
async def test_a_move_back_that_stopped_at_the_list_of_calendars_can_be_completed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    """A server deletes what nobody has fetched after a week."""
    commands: list[tuple[str, ...]] = []
    deleted: list[str] = []

    class Ready:
        def __init__(self, *arguments: str) -> None:
            commands.append(arguments)

        def answer(self) -> dict[str, Any]:
            return {}

    def answer(method: str, path: str) -> Any:
        """As a service does: what it deleted can't be exported again, since it may be elsewhere."""
        if path == "/departure/files" and method == "GET":
            return {"data": []}
        if method == "DELETE":
            deleted.append("by the app")
        state = "stopped" if deleted else "written"
        problem = "The account isn't here any more." if deleted else None
        return {
            "account_id": ACCOUNT,
            "state": state,
            "problem": problem,
            "has_secrets": True,
            "size_bytes": 0,
        }

    monkeypatch.setattr(programs, "Command", Ready)
    data = tmp_path / "app"
    async with scripted(tmp_path, answer) as server:
        move = await server.move(data, Direction.BACK)
        in_the_way = data / "homes.json.part"
        in_the_way.mkdir()
        with pytest.raises(Problem, match="can't write"):
            await move.run(quiet)
        assert deleted == []
        if is_late:
            deleted.append("by itself")
        with pytest.raises(Problem, match="already arrived"):
            await move.cancel(quiet)
        in_the_way.rmdir()
        home = await move.run(quiet)
    assert home.is_embedded
    assert Homes(data).all() == [home]
    assert deleted == (["by itself"] if is_late else []) + ["by the app"]
    assert pending_move(Homes(data), home) is None
    assert [command[1] for command in commands] == ["import"]
