"""Where data is kept unless something else is said."""

import sys
from pathlib import Path

import platformdirs
import pytest

from app.desktop.options import PORTABLE_MARK, usual_data


def test_a_portable_copy_keeps_data_beside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "kalends.exe"))
    usual = platformdirs.user_data_path("kalends", appauthor=False)
    (tmp_path / PORTABLE_MARK).touch()
    assert usual_data() == usual, "a checkout is not portable, whatever lies beside its Python"
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert usual_data() == tmp_path / "kalends-data"
    (tmp_path / PORTABLE_MARK).unlink()
    assert usual_data() == usual
