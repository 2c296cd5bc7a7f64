"""The field for day, time and zone, in little room."""

import pytest
from PySide6.QtWidgets import QApplication

from app.desktop.composer.when import WhenField
from app.desktop.theme import theme
from app.desktop.theme.theme import WIDEST_SIDE
from app.language import use
from tests.desktop.running import LISBON, run, shown
from tests.gallery.measure.fits import cut_texts
from tests.gallery.measure.texts import texts_of
from tests.workspace.opened import until

_MARGINS = 2 * 20 + 1


@pytest.mark.parametrize(("size", "is_below"), [(100, False), (200, True)])
def test_the_zone_is_below_the_time_where_it_has_no_room_next_to_it(
    qapp: QApplication, size: int, is_below: bool
) -> None:
    async def work() -> None:
        theme.apply(qapp, "light", size / 100)
        use("de")
        async with shown(WhenField(LISBON, 1_900_000_000_000)) as field:
            field.resize(min(WIDEST_SIDE, 440 * size // 100) - _MARGINS, 200)
            await until(field.zone_button.isVisible)
            zone, time = (one.mapTo(field, one.rect().center()) for one in (field.zone_button, field.time))
            assert field.minimumSizeHint().width() <= field.width()
            assert (zone.y() > time.y() + field.time.height() // 2) == is_below
            assert not list(cut_texts(texts_of(field)))

    try:
        run(qapp, work)
    finally:
        use("en")
        theme.apply(qapp, "light")
