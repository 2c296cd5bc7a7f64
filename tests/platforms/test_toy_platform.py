"""The recipe in ``docs/platforms.md``: a platform is added by its own files and a few lines elsewhere."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.architecture.sources import ROOT

MOST_FILES: Final = 6
"""Maximum number of files under ``app/`` that adding a platform may change."""

_TOY: Final = Path(__file__).with_name("toy")
_OWN: Final = {
    "card.py": "app/platforms/toy/card.py",
    "adapter.py": "app/platforms/toy/adapter.py",
    "stand_in.py": "app/practice/platforms/toy.py",
}
_LINES: Final = {
    "app/platforms/cards.py": (
        ("from app.platforms.x.card import X\n", "from app.platforms.toy.card import TOY\n", ""),
        ("            THREADS,\n", "", "            TOY,\n"),
    ),
    "app/platforms/registry.py": (
        ("from app.platforms.x.adapter import X\n", "from app.platforms.toy.adapter import Toy\n", ""),
        ('    "threads": Threads,\n', "", '    "toy": Toy,\n'),
    ),
    "app/practice/platforms/__init__.py": (
        ("from app.practice.platforms.x import X\n", "from app.practice.platforms.toy import Toy\n", ""),
        ("    Threads,\n", "", "    Toy,\n"),
    ),
}
"""What is written before and after a line of a file."""


def _add_toy(root: Path) -> None:
    shutil.copytree(ROOT / "app", root / "app", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "resources/icons/brands", root / "resources/icons/brands")
    for folder in ("fonts", "locale", "icons/lucide"):
        (root / "resources" / folder).symlink_to(ROOT / "resources" / folder)
    (root / "app/platforms/toy").mkdir()
    (root / "app/platforms/toy/__init__.py").write_text('"""Toy."""\n', "utf-8")
    for source, target in _OWN.items():
        shutil.copy(_TOY / source, root / target)
    shutil.copy(ROOT / "resources/icons/brands/x.svg", root / "resources/icons/brands/toy.svg")
    for name, lines in _LINES.items():
        text = (root / name).read_text("utf-8")
        for line, before, after in lines:
            assert text.count(line) == 1, f"{name}: {line}"
            text = text.replace(line, f"{before}{line}{after}")
        (root / name).write_text(text, "utf-8")


def _changed(root: Path) -> Iterator[str]:
    """Files below `app/` that aren't as they are here, but for those of the toy itself."""
    for path in sorted((root / "app").rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".pyc" or path.is_dir() or name.startswith("app/platforms/toy/"):
            continue
        known = ROOT / name
        is_own = name in _OWN.values()
        if not is_own and (not known.is_file() or known.read_bytes() != path.read_bytes()):
            yield name


def _recipe() -> list[str]:
    """The files that the recipe names, apart from those of the platform itself."""
    page = (ROOT / "docs/platforms.md").read_text("utf-8")
    section = re.split(r"^## ", page.partition("## How to add a platform\n")[2], flags=re.MULTILINE)[0]
    return re.findall(r"^\| `(app/[\w/.]+)` \|", section, re.MULTILINE)


def test_a_platform_is_added_by_the_recipe(tmp_path: Path) -> None:
    _add_toy(tmp_path)

    tried = subprocess.run(
        [sys.executable, "-m", "tests.platforms.toy.trial", str(tmp_path / "data")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert tried.stdout.splitlines()[-1:] == ["tried"], tried.stderr
    assert sorted(_changed(tmp_path)) == sorted(_recipe())
    assert 0 < len(_recipe()) <= MOST_FILES
