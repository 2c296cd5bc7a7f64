"""An export that doesn't fit on the disk leaves the earlier file, and nothing else."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.disk import write_whole
from app.workspace.exchange.csv_table import csv_file, write_table
from app.workspace.messages import Problem

resource = pytest.importorskip("resource", reason="file sizes cannot be limited here")

LARGE = csv_file(("Text",), [("later " * 10,)] * 1_000)


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process can grow beyond 4 KiB."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def files_in(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


async def test_a_table(tmp_path: Path) -> None:
    path = tmp_path / "posts.csv"
    await write_table(path, lambda: csv_file(("Text",), [("earlier",)] * 100))
    before = path.read_bytes()
    with no_room(), pytest.raises(Problem, match=r"Couldn't write “posts\.csv”"):
        await write_table(path, lambda: LARGE)
    assert files_in(tmp_path) == {"posts.csv": before}


def test_any_file_that_is_written_whole(tmp_path: Path) -> None:
    for name in ("posts.csv", "posts.part"):
        (tmp_path / name).write_bytes(b"earlier")
    with no_room(), pytest.raises(OSError, match="too large"):
        write_whole(tmp_path / "posts.csv", LARGE)
    assert files_in(tmp_path) == {"posts.csv": b"earlier", "posts.part": b"earlier"}
