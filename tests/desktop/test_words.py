"""Names in a person's words."""

import pytest

from app.desktop import words


@pytest.mark.parametrize(
    ("name", "platform", "expected"),
    [
        ("maya.makes", "tiktok", "@maya.makes"),
        ("@maya.makes", "tiktok", "@maya.makes"),
        ("okafor-studio", "linkedin", "okafor-studio"),
        (None, "x", ""),
        ("", "linkedin", ""),
    ],
)
def test_a_handle_is_written_as_its_platform_does(name: str | None, platform: str, expected: str) -> None:
    assert words.handle(name, platform) == expected
