"""The status line says how fresh things are, what waits, and what goes out next."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.desktop.shell.status import StatusLine
from app.desktop.theme import theme
from app.desktop.words import utc_offset
from app.workspace.sync.status import SyncStatus
from tests.desktop.calendar.memory import MemoryWorkspace
from tests.desktop.studio import accounts, posts
from tests.gallery.measure.kept import record


@pytest.mark.parametrize(
    ("sync", "age", "words"),
    [
        (SyncStatus(connected=True), timedelta(), "Synced just now"),
        (SyncStatus(connected=True, waiting=1), timedelta(), "1 change waiting"),
        (SyncStatus(waiting=2, trouble="No response."), None, "Offline · 2 changes waiting"),
        (SyncStatus(trouble="No response."), timedelta(minutes=50), "Offline since "),
        (SyncStatus(waiting=2), None, "Not synced yet · 2 changes waiting"),
        (SyncStatus(), timedelta(hours=3), "Synced 3 h ago"),
        (
            SyncStatus(connected=True, waiting=3, conflicts=1),
            timedelta(),
            "1 post changed elsewhere · 2 changes waiting",
        ),
        (SyncStatus(connected=True, waiting=1, conflicts=1), timedelta(), "1 post changed elsewhere · Next"),
        (SyncStatus(connected=True, syncing=True, listed=4_200), None, "Loading posts, 4,200 so far"),
        (SyncStatus(problem="The service rejected the API key."), None, "The service rejected the API key."),
        (SyncStatus(problem="The service rejected the API key.", key_refused=True), None, "Key rejected"),
        (SyncStatus(connected=True), timedelta(minutes=50), "Synced 50 min ago"),
        (
            SyncStatus(connected=True, followed=True, waiting=1, silent_since=datetime.now(UTC)),
            timedelta(),
            " s · 1 change waiting",
        ),
        (
            SyncStatus(connected=True, silent_since=datetime.now(UTC)),
            timedelta(minutes=3),
            "No response from the service for ",
        ),
    ],
)
def test_the_facts_are_said_in_words(
    qtbot: QtBot, qapp: QApplication, sync: SyncStatus, age: timedelta | None, words: str
) -> None:
    theme.apply(qapp, "light")
    line = StatusLine(ZoneInfo("Europe/Lisbon"))
    qtbot.addWidget(line)
    planner = MemoryWorkspace(posts(), accounts())
    synced = None if age is None else datetime.now(UTC) - age
    planner.sync = replace(sync, last_synced=synced, silent_since=synced if sync.silent_since else None)
    line.set_workspace(planner)

    assert words in line.accessibleName()
    assert "Europe/Lisbon" in line.accessibleName()
    assert "Next: " in line.accessibleName()


@pytest.mark.parametrize(
    ("zone", "offset"),
    [
        ("UTC", "UTC+0"),
        ("Asia/Kolkata", "UTC+5:30"),
        ("America/St_Johns", "UTC\N{MINUS SIGN}3:30"),
        ("Asia/Tokyo", "UTC+9"),
    ],
)
def test_the_distance_from_utc(zone: str, offset: str) -> None:
    assert utc_offset(datetime(2026, 1, 15, tzinfo=ZoneInfo(zone))) == offset


def test_saving_is_spoken_of_only_while_it_takes_long(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    line = StatusLine(ZoneInfo("Europe/Lisbon"))
    qtbot.addWidget(line)
    planner = MemoryWorkspace(posts(), accounts())
    planner.sync = SyncStatus(connected=True, saving=2)
    line.set_workspace(planner)
    assert "Saving" not in line.accessibleName()
    qtbot.waitUntil(lambda: "Saving 2 changes" in line.accessibleName(), timeout=30_000)
    planner.sync = SyncStatus(connected=True)
    line.refresh()
    assert "Saving" not in line.accessibleName()
    planner.sync = SyncStatus(connected=True, saving=1)
    line.refresh()
    assert "Saving" not in line.accessibleName()


def test_the_tip_tells_how_changes_arrive(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    line = StatusLine(ZoneInfo("Europe/Lisbon"))
    qtbot.addWidget(line)
    planner = MemoryWorkspace(posts(), accounts())
    tips = []
    away = SyncStatus(trouble="No response.")
    for sync in (SyncStatus(connected=True, followed=True), SyncStatus(connected=True), away):
        planner.sync = sync
        line.set_workspace(planner)
        tips.append(line.toolTip())
    assert len(set(tips)) == 3
    assert "in real time" in tips[0]


def test_what_goes_on_is_told_whole_before_what_comes(qtbot: QtBot) -> None:
    line = StatusLine(ZoneInfo("Europe/Lisbon"))
    qtbot.addWidget(line)
    line.set_uploads("3 uploads 8 %, 1 upload failed")
    line.resize(line.fontMetrics().horizontalAdvance("Starting 3 uploads 8 %, 1 upload failed") * 2, 28)
    whole = {one.words for one in record(line, {})}
    line.resize(line.width() * 2 // 3, 28)
    narrow = {one.words for one in record(line, {})}
    told = {"Starting", "3 uploads 8 %, 1 upload failed"}
    assert told < whole
    assert narrow == told
