"""A server that asks for what no export has: the move stops with a sentence."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from app.workspace.homes import programs
from app.workspace.homes.moving.note import Direction
from app.workspace.messages import Problem
from tests.workspace.homes.moving.scripted import ACCOUNT, EXPORT, quiet, scripted


class _Exported:
    """Replaces the program that writes the export: it only has a manifest and a file of rows."""

    def __init__(self, _program: str, *arguments: str) -> None:
        if "export" in arguments:
            folder = Path(arguments[-1 - arguments[::-1].index("--to") + 1]) / ACCOUNT
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "manifest.json").write_text(json.dumps({"export_id": EXPORT}))
            (folder / "posts.ndjson").write_bytes(b"{}\n")

    def answer(self) -> dict[str, Any]:
        return {"accounts": [{"account_id": ACCOUNT}]}


async def test_a_server_that_asks_for_a_file_forever_is_not_sent_it_forever(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(programs, "Command", _Exported)
    arrival = {"account_id": ACCOUNT, "export_id": EXPORT, "state": "receiving", "done": 0.0}
    async with scripted(tmp_path, lambda *_: arrival | {"missing": ["posts.ndjson"]}) as server:
        move = await server.move(tmp_path / "app", Direction.THERE)
        with pytest.raises(Problem, match="couldn't continue the move") as stopped:
            await asyncio.wait_for(move.run(quiet), 60)
    assert stopped.value.details == "posts.ndjson was sent, and is missing."
    assert server.asked.count("PUT /arrival/files/posts.ndjson") == 1


@pytest.mark.parametrize("done", ["NaN", "Infinity", "-Infinity", "-1", "1e308"])
async def test_a_share_that_is_none_is_shown_as_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, done: str
) -> None:
    monkeypatch.setattr(programs, "Command", _Exported)
    arrival = {"account_id": ACCOUNT, "export_id": EXPORT, "missing": []}
    states = iter(["importing", "arrived"])

    def answer(_method: str, _path: str) -> bytes:
        return json.dumps(arrival | {"state": next(states), "done": float(done)}).encode()

    shares: list[float | None] = []
    async with scripted(tmp_path, answer) as server:
        move = await server.move(tmp_path / "app", Direction.THERE)
        await move.run(lambda progress: shares.append(progress.done))
    assert all(share is None or 0 <= share <= 1 for share in shares)
