"""The zones that people may look for."""

from app.desktop.widgets.zone_picker import zone_names


def test_zones_are_places() -> None:
    assert {"Europe/Lisbon", "UTC"} <= set(zone_names())
    assert not [name for name in zone_names() if name.startswith("Etc/")]
