"""A server that hands out what no calendar has: the move stops with a sentence."""

from pathlib import Path
from typing import Any

import pytest

from app.contract.limits import EXPORT_MANIFEST_MAX, EXPORT_MEDIA_MAX, EXPORT_ROWS_MAX
from app.workspace.homes import Homes
from app.workspace.homes.moving.note import Direction
from app.workspace.messages import Problem
from tests.workspace.homes.moving.scripted import ACCOUNT, Answer, quiet, scripted

DIGEST = "a" * 64


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
