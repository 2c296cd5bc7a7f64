"""The zones that people may look for."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QApplication

from app import language
from app.desktop.widgets.zone_picker import ZonePicker, zone_label, zone_names
from app.language import city
from tests.desktop.running import run, shown
from tests.workspace.opened import until


@pytest.fixture
def german() -> Iterator[None]:
    language.use("de")
    yield
    language.use("en")


def test_zones_are_places() -> None:
    assert {"Europe/Lisbon", "UTC"} <= set(zone_names())
    assert not [name for name in zone_names() if name.startswith("Etc/")]


def test_cities_have_their_english_names_in_english() -> None:
    zones = "Europe/Lisbon", "America/New_York", "UTC"
    assert [zone_label(zone) for zone in zones] == list(zones)
    assert [city(ZoneInfo(zone)) for zone in zones] == ["Lisbon", "New York", "UTC"]


@pytest.mark.usefixtures("german")
def test_cities_have_their_german_names_in_german() -> None:
    zones = ZoneInfo("Europe/Lisbon"), ZoneInfo("America/New_York")
    assert [city(zone) for zone in zones] == ["Lissabon", "New York"]
    assert zone_label("Europe/Lisbon") == "Lissabon (Europe/Lisbon)"
    assert [zone_label(zone) for zone in ("America/New_York", "UTC")] == ["America/New_York", "UTC"]


@pytest.mark.usefixtures("german")
@pytest.mark.parametrize("typed", ["Lissabon (Europe/Lisbon)", "europe/lisbon"])
def test_a_zone_is_found_by_either_name(qapp: QApplication, typed: str) -> None:
    async def work() -> None:
        async with shown(ZonePicker(ZoneInfo("Europe/Berlin"))) as picker:
            line = picker.lineEdit()
            assert line is not None
            await until(lambda: picker.count() == len(zone_names()))
            assert line.text() == "Europe/Berlin"
            for text in (typed, "Nowhere"):
                line.setText(text)
                line.editingFinished.emit()
                assert picker.zone().key == "Europe/Lisbon"
                assert line.text() == "Lissabon (Europe/Lisbon)"

    run(qapp, work)


def test_it_may_start_without_a_zone(qapp: QApplication) -> None:
    async def work() -> None:
        async with shown(ZonePicker(ZoneInfo("Europe/Lisbon"))) as picker:
            changed: list[str] = []
            picker.zone_changed.connect(lambda: changed.append(picker.zone().key))
            picker.ask("Choose a zone")
            await until(lambda: picker.count() > 100)
            line = picker.lineEdit()
            assert line is not None
            line.editingFinished.emit()
            assert (picker.currentText(), line.placeholderText()) == ("", "Choose a zone")
            picker.setEditText("UTC")
            line.editingFinished.emit()
            assert changed == ["UTC"]

    run(qapp, work)
