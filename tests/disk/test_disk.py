"""Files opened by other programs, as Windows handles them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from app.disk import PAUSES_S, Rename, flush_folder, move, replace

Way = Callable[[Path, Path, Rename], None]


class RefusedError(PermissionError):
    """The error of Windows, with its number."""

    def __init__(self, winerror: int) -> None:
        super().__init__(13, "refused")
        self.winerror = winerror


class Scanner:
    """Keeps a file open for the first few attempts."""

    def __init__(self, tries: int, winerror: int = 32) -> None:
        self.tries, self.winerror, self.calls = tries, winerror, 0

    def rename(self, path: Path, to: Path) -> None:
        self.calls += 1
        if self.calls <= self.tries:
            raise RefusedError(self.winerror)
        path.replace(to)


@pytest.mark.parametrize("way", [replace, move])
@pytest.mark.parametrize("winerror", [5, 32, 33])
def test_a_file_that_is_looked_at_for_a_moment_is_moved_afterwards(
    tmp_path: Path, way: Way, winerror: int
) -> None:
    (tmp_path / "new").write_text("new", "utf-8")
    scanner = Scanner(3, winerror)
    way(tmp_path / "new", tmp_path / "there", scanner.rename)
    assert scanner.calls == 4
    assert (tmp_path / "there").read_text("utf-8") == "new"


def test_a_file_that_stays_open_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("new", "utf-8")
    (tmp_path / "there").write_text("old", "utf-8")
    scanner = Scanner(1_000)
    with pytest.raises(RefusedError):
        replace(tmp_path / "new", tmp_path / "there", scanner.rename)
    assert scanner.calls == len(PAUSES_S) + 1
    assert (tmp_path / "there").read_text("utf-8") == "old"


@pytest.mark.parametrize(
    "error", [PermissionError(13, "not yours"), RefusedError(112), FileNotFoundError(2, "gone")]
)
def test_what_does_not_pass_is_said_at_once(tmp_path: Path, error: OSError) -> None:
    calls = []

    def refuse(path: Path, _to: Path) -> None:
        calls.append(path)
        raise error

    with pytest.raises(type(error)):
        replace(tmp_path / "new", tmp_path / "there", refuse)
    assert len(calls) == 1


def test_a_replaced_file_is_there_whole(tmp_path: Path) -> None:
    (tmp_path / "new").write_text("new", "utf-8")
    (tmp_path / "there").write_text("old", "utf-8")
    replace(tmp_path / "new", tmp_path / "there")
    assert [file.name for file in tmp_path.iterdir()] == ["there"]
    assert (tmp_path / "there").read_text("utf-8") == "new"


def test_windows_flushes_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = tmp_path / "not there"
    flush_folder(tmp_path)
    with pytest.raises(FileNotFoundError):
        flush_folder(missing)
    monkeypatch.setattr("os.name", "nt")
    flush_folder(missing)
