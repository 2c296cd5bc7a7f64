"""``docs/platforms.md`` matches the code."""

import pytest

from app.contract.enums import ConnectionPlatform
from app.platforms.registry import build_adapters
from tests.platforms.limits_page import PAGE, page_with_limits

_PAGE = PAGE.read_text("utf-8")


def test_the_limits_are_those_of_the_tables() -> None:
    """If this fails, run ``python -m tests.platforms.limits_page``."""
    assert page_with_limits(_PAGE) == _PAGE


@pytest.mark.parametrize(
    "platform", [each for each in ConnectionPlatform.__members__.values() if each.is_known], ids=str
)
def test_every_scope_that_is_asked_for_is_named(platform: ConnectionPlatform) -> None:
    adapter = build_adapters()[platform]
    section = _PAGE.partition(f"## {adapter_name(platform)}\n")[2].partition("\n## ")[0]
    scopes = getattr(adapter, "scopes")  # noqa: B009  every adapter has them; the protocol does not ask for it
    assert [scope for scope in scopes if f"`{scope.rpartition('/')[2]}`" not in section] == []
    assert f"/callback/{platform.value}" in section


def adapter_name(platform: ConnectionPlatform) -> str:
    names = {"linkedin": "LinkedIn", "tiktok": "TikTok", "youtube": "YouTube", "x": "X"}
    return names.get(platform.value, platform.value.capitalize())
