"""Our files never get names that Windows rejects or interprets differently."""

from pathlib import PureWindowsPath

import pytest

from app.media.protocol import JPEG, Recipe
from app.workspace.repair.repairs import name_of_copy


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
        ("x" * 300 + ".png", "x" * 116 + ".jpg"),
        ("漢" * 300 + ".png", "漢" * 65 + ".jpg"),
    ],
)
def test_a_copy_has_a_name_for_every_system(name: str, safe: str) -> None:
    made = name_of_copy(name, Recipe(JPEG))
    assert made == safe
    assert not PureWindowsPath(made).is_reserved()
