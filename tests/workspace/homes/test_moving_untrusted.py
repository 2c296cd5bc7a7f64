"""A server that asks for, or hands out, what no calendar has: the move stops with a sentence."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from app.contract.limits import EXPORT_MANIFEST_MAX, EXPORT_MEDIA_MAX, EXPORT_ROWS_MAX
from app.workspace.homes import Home, HomeKind, Homes, programs
from app.workspace.homes.certificates import presented_certificate
from app.workspace.homes.credentials import Credentials
from app.workspace.homes.moving import Direction, Move, MoveNote, MoveProgress
from app.workspace.messages import Problem
from app.workspace.network import Network
from tests.client.raw_service import KEY, answering

ACCOUNT, EXPORT = str(uuid4()), str(uuid4())
DIGEST = "a" * 64
Answer = Callable[[str, str], Any]
"""The JSON, or the bytes, for a method and a path."""


@dataclass
class Scripted:
    """A server whose responses are made up, and the paths that were requested."""

    base: str
    asked: list[str]

    async def move(self, data: Path, direction: Direction) -> Move:
        homes, credentials = Homes(data), Credentials(data)
        kind = HomeKind.EMBEDDED if direction is Direction.THERE else HomeKind.REMOTE
        home = Home(kind=kind, name="Okafor Studio", base_url=self.base if kind is HomeKind.REMOTE else "")
        await credentials.keep(home.id, KEY)
        shown = await presented_certificate(self.base)
        move = Move(homes, credentials, Network(data, credentials.secrets), home)
        note = MoveNote(direction=direction, base_url=self.base, pinned_certificate=shown.pem)
        await move.begin(note, KEY if direction is Direction.THERE else "")
        return move


@asynccontextmanager
async def scripted(folder: Path, answer: Answer) -> AsyncIterator[Scripted]:
    asked: list[str] = []

    async def say(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = service.heads[-1]
        length = next(
            (line[15:] for line in head.lower().splitlines() if line[:15] == "content-length:"), "0"
        )
        await reader.readexactly(int(length))
        method, path, _ = head.split(" ", 2)
        path = path.partition("?")[0].removeprefix("/companion/v1")
        asked.append(f"{method} {path}")
        given = answer(method, path)
        body = given if isinstance(given, bytes) else json.dumps(given).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async with answering(folder, say) as service:
        yield Scripted(service.base, asked)


def departure() -> dict[str, Any]:
    return {"account_id": ACCOUNT, "state": "written", "has_secrets": True, "size_bytes": 0}


def handing_out(*files: tuple[str, int], content: bytes = b"") -> Answer:
    """Hands out these files, which all have the same content."""
    rows = [{"name": name, "size_bytes": size} for name, size in files]
    lists = iter([{"data": rows}, {"data": []}])

    def answer(_method: str, path: str) -> Any:
        if path == "/departure/files":
            return next(lists)
        return content if path.startswith("/departure/files/") else departure()

    return answer


def quiet(_progress: MoveProgress) -> None:
    """Nobody looks at the progress."""


async def problem_of_coming_back(tmp_path: Path, answer: Answer) -> tuple[Problem, list[str], list[Path]]:
    """Moves a calendar back; returns why it stopped, which files were fetched, and what is on the disk."""
    data = tmp_path / "app"
    async with scripted(tmp_path, answer) as server:
        move = await server.move(data, Direction.BACK)
        with pytest.raises(Problem) as stopped:
            await move.run(quiet)
    fetched = [path for path in server.asked if path.startswith("GET /departure/files/")]
    export = Homes(data).folder(move.home) / "moving" / ACCOUNT
    return stopped.value, fetched, [path for path in export.rglob("*") if path.is_file()]


async def test_a_calendar_that_does_not_fit_is_not_fetched(tmp_path: Path) -> None:
    files = [(f"{number:064d}", 40_000_000_000) for number in range(500)]
    given = handing_out(("posts.ndjson", 2), *files, content=b"{}")
    problem, fetched, there = await problem_of_coming_back(tmp_path, given)
    assert problem.kind == "disk_full"
    assert "the calendar needs 18626.7 GB, " in problem.text
    assert problem.text.endswith(" free. Free up space, then continue. Nothing is lost.")
    assert (fetched, there) == ([], [])


@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("manifest.json", EXPORT_MANIFEST_MAX + 1),
        ("manifest.json", -1),
        ("posts.ndjson", EXPORT_ROWS_MAX + 1),
        (DIGEST, EXPORT_MEDIA_MAX + 1),
        (DIGEST, -(2**53)),
    ],
)
async def test_files_of_impossible_sizes_are_refused_before_anything_is_fetched(
    tmp_path: Path, name: str, size: int
) -> None:
    given = handing_out(("attempts.ndjson", 2), (name, size), content=b"{}")
    problem, fetched, there = await problem_of_coming_back(tmp_path, given)
    assert "couldn't continue the move. Nothing is lost." in problem.text
    assert name in problem.details
    assert (fetched, there) == ([], [])


@pytest.mark.parametrize("content", [b"", b"{", b"{}\n", bytes(1_000_000)])
async def test_a_file_of_another_size_than_listed_is_not_kept(tmp_path: Path, content: bytes) -> None:
    given = handing_out(("manifest.json", 2), content=content)
    problem, fetched, there = await problem_of_coming_back(tmp_path, given)
    assert "couldn't continue the move. Nothing is lost." in problem.text
    assert len(fetched) == 1
    assert [path.name for path in there] == ["manifest.json.part"]
    assert there[0].stat().st_size <= 2


async def test_names_that_no_export_has_are_left_out(tmp_path: Path) -> None:
    names = ["../../escaped", "/etc/passwd", "posts.ndjson.part", "A" * 64, "unfinished.json"]
    given = handing_out(*((name, 2) for name in names), ("posts.ndjson", -1))
    problem, fetched, there = await problem_of_coming_back(tmp_path, given)
    assert problem.details.startswith("posts.ndjson")
    assert (fetched, there) == ([], [])


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
