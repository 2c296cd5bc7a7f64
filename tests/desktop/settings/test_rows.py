"""A row of the settings."""

from pytestqt.qtbot import QtBot

from app.desktop.settings.rows import SettingRow
from app.desktop.widgets import Switch


def test_the_name_of_a_setting_that_cannot_be_switched_fades(qtbot: QtBot) -> None:
    switch = Switch()
    row = SettingRow("Published posts", "", switch)
    qtbot.addWidget(row)
    assert row.title.tone() == "text"
    switch.setEnabled(False)
    assert row.title.tone() == "text3"
    switch.setEnabled(True)
    assert row.title.tone() == "text"
