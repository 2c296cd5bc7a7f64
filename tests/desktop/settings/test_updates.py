"""Updates in the settings: nothing is asked until they are on, nothing is installed near a due post."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from app.desktop.settings.updates import UpdatesCard
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.desktop.updates import Updates
from app.network import Way
from app.updates.build import Channel, Kind, Version
from app.workspace.clock import wall_clock
from tests.desktop.running import LISBON, run, shown, workspace
from tests.updates.server import INSTALLER, Place, plain, serving
from tests.workspace.model_service import ModelService
from tests.workspace.opened import until

_MINUTE = 60_000


@pytest.fixture(autouse=True)
def light(qapp: QApplication) -> None:
    theme.apply(qapp, "light")


@dataclass
class Opened:
    card: UpdatesCard
    updates: Updates
    place: Place
    image: Path
    window: MainWindow


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Opened]:
    image = folder / "Kalends.AppImage"
    image.write_bytes(b"before")
    async with serving(folder) as place:
        window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), LISBON)
        keys = (place.public_key,)
        channel = Channel(f"{place.base}/feed", keys, Version(1, 0, 0), "linux-x64", Kind.APPIMAGE, image)
        async with shown(window):
            updates = Updates(window, channel, Way(), trust=place.trust)
            updates.begin()
            card = UpdatesCard(updates)
            card.setParent(window)
            card.show()
            yield Opened(card, updates, place, image, window)


def test_nothing_is_asked_before_it_is_turned_on(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as it:
            await asyncio.sleep(0.3)
            assert it.place.asked == []
            assert not it.card.check.isChecked()
            assert not it.card.look_button.isEnabled()
            assert it.updates.prepare(None) is None

    run(qapp, work)


def test_turned_on_it_downloads_says_so_and_installs_at_the_end(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as it:
            it.place.publish("1.1.0")
            it.card.check.click()
            await until(lambda: "1.1.0 is downloaded" in it.card.standing_row.text.text())
            assert any("1.1.0" in text for text in it.window.messages.texts())
            assert it.image.read_bytes() == b"before"
            hand_over = it.updates.prepare(None)
            assert hand_over is not None
            await asyncio.to_thread(hand_over)
            assert it.image.read_bytes() == INSTALLER

    run(qapp, work)


def test_a_refusal_is_shown_with_its_reason(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as it:
            it.place.publish("1.1.0")
            it.place.answers["/Kalends.AppImage"] = plain(b"x" * len(INSTALLER))
            it.card.check.click()
            await until(lambda: "doesn't match the developers' signature" in it.card.standing_row.text.text())
            assert it.card.look_button.isEnabled()
            assert it.updates.prepare(None) is None

    run(qapp, work)


def test_a_failed_check_comes_after_the_update_that_waits(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as it:
            it.place.publish("1.1.0")
            it.card.check.click()
            standing = it.card.standing_row.text
            await until(lambda: "1.1.0 is downloaded" in standing.text())
            it.place.publish("1.2.0")
            it.place.answers["/Kalends.AppImage"] = plain(b"x" * len(INSTALLER))
            it.card.look_button.click()
            await until(lambda: "doesn't match the developers' signature" in standing.text())
            assert standing.text().startswith("Kalends 1.1.0 is downloaded.")
            assert it.updates.prepare(None) is not None

    run(qapp, work)


def test_turned_off_again_nothing_is_installed(qapp: QApplication, tmp_path: Path) -> None:
    async def work() -> None:
        async with opened(tmp_path) as it:
            it.place.publish("1.1.0")
            it.card.check.click()
            await until(lambda: "1.1.0 is downloaded" in it.card.standing_row.text.text())
            it.card.check.click()
            assert it.updates.prepare(None) is None

    run(qapp, work)


@pytest.mark.parametrize(
    ("minutes", "installs"), [(-11, True), (-9, False), (0, False), (9, False), (11, True)]
)
def test_nothing_is_installed_within_ten_minutes_of_a_due_post(
    qapp: QApplication, tmp_path: Path, minutes: int, installs: bool
) -> None:
    (tmp_path / "home").mkdir()
    service = ModelService(wall_clock)
    account = service.add_account("linkedin")
    service.add_post(account, at=wall_clock() + minutes * _MINUTE)

    async def work() -> None:
        async with opened(tmp_path) as it, workspace(tmp_path / "home", service) as made:
            it.place.publish("1.1.0")
            it.card.check.click()
            await until(lambda: "1.1.0 is downloaded" in it.card.standing_row.text.text())
            assert (it.updates.prepare(made) is not None) is installs

    run(qapp, work)
