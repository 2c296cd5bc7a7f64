"""The data folder: when it came back from a backup."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.service.store.folder import DataFolder

WHEN = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)


def test_a_folder_that_was_always_here_was_not_restored(tmp_path: Path) -> None:
    assert DataFolder(tmp_path).restored_at() is None


def test_it_says_when_it_was_restored(tmp_path: Path) -> None:
    (tmp_path / "restored").write_text("2026-11-22T10:30:00+01:00")
    assert DataFolder(tmp_path).restored_at() == WHEN


@pytest.mark.parametrize("text", [b"", b"yesterday", b"\xff\xfe"])
def test_what_cannot_be_read_counts_from_when_it_was_written(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "restored"
    path.write_bytes(text)
    os.utime(path, (WHEN.timestamp(), WHEN.timestamp()))
    assert DataFolder(tmp_path).restored_at() == WHEN
