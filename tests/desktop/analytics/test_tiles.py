"""The figures above the charts, for people who can't see their arrows and colours."""

import pytest

from app.desktop.analytics.tiles import TileButton
from app.workspace.analytics.dashboard import Tile
from app.workspace.analytics.dataset import Figure


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize(
    ("total", "before", "described"),
    [
        (191_249, 88_829, "Up 115.3%, from 88,829"),
        (88, 100, "Down 12.0%, from 100"),
        (100, 100, "0.0%, from 100"),
        (3_000, 10, "Up over 1,000%, from 10"),
        (100, None, "First numbers on 3 Nov"),
    ],
)
def test_a_change_has_its_direction_in_words(total: int, before: int | None, described: str) -> None:
    button = TileButton(Figure.VIEWS)
    button.show_tile(Tile(Figure.VIEWS, total, before, (), ()), "first numbers on 3 Nov")
    assert button.accessibleDescription() == described
    assert button.toolTip() == described
