"""Our files never get names that Windows rejects or interprets differently."""

from pathlib import PureWindowsPath
from uuid import uuid4

import pytest

from app.media.protocol import JPEG, Recipe
from app.workspace.repair.repairs import name_of_copy
from app.workspace.safe_names import safe_name

_PATH_MAX = 259
_USER_MAX = 20
"""Longest path and user name on Windows, in characters."""


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("coat.png", "coat.jpg"),
        ("Küste im Nebel.heic", "Küste im Nebel.jpg"),
        ("CON.png", "_CON.jpg"),
        ("com1.tar.png", "_com1.tar.jpg"),
        ("walk:stream.png", "walk_stream.jpg"),
        ("what?.png", "what_.jpg"),
        ("walk. .png", "walk.jpg"),
        (".png", "png.jpg"),
        ("..\\up/down.png", "up down.jpg"),
        ("x" * 300 + ".png", "x" * 76 + ".jpg"),
        ("漢" * 300 + ".png", "漢" * 65 + ".jpg"),
    ],
)
def test_a_copy_has_a_name_for_every_system(name: str, safe: str) -> None:
    made = name_of_copy(name, Recipe(JPEG))
    assert made == safe
    assert not PureWindowsPath(made).is_reserved()


@pytest.mark.parametrize("folder", ["workspace.copies", "workspace.downloads"])
def test_copies_of_files_with_long_names_have_short_enough_paths(folder: str) -> None:
    data = PureWindowsPath("C:/Users", "x" * _USER_MAX, "AppData/Local/kalends")
    name = safe_name("x" * 300 + ".jpeg", ("jpeg",))
    copy = data / "homes" / str(uuid4()) / folder / str(uuid4()) / f".{name}.part"
    assert len(str(copy)) <= _PATH_MAX
