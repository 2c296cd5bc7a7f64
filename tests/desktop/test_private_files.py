"""What the app writes is for the person alone, whatever the system's own habit is."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

_START = """
import os, sys
from pathlib import Path
os.umask(0)
from app.desktop.main import assemble
from app.desktop.options import parse
assemble(parse(["--data", sys.argv[1]]))
folder = Path(sys.argv[1], "homes", "one")
folder.mkdir(parents=True)
(folder / "workspace.db").touch()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_new_files_and_folders_are_the_owners_alone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    subprocess.run(
        [sys.executable, "-c", _START, str(data)], check=True, env=os.environ | {"LANG": "C.UTF-8"}
    )
    found = [data, *data.rglob("*")]
    assert len(found) >= 4
    for path in found:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
