"""Opens the window with an in-memory service, and prints its texts as JSON."""

import json
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from zoneinfo import ZoneInfo

from PySide6.QtCore import QCoreApplication, QLocale, QSettings, Qt
from PySide6.QtWidgets import QWidget

from app.desktop import aio, qt_language
from app.desktop.calendar.model import PostListModel
from app.desktop.dates import read_date
from app.desktop.palette.plans import read_plan
from app.desktop.shell.main_controller import MainController
from app.desktop.shell.window import MainWindow
from app.desktop.theme import theme
from app.workspace.clock import wall_clock
from app.workspace.homes import Home
from app.workspace.homes.registry import HomeKind
from tests.desktop.running import run, service_of_today, shown, workspace

_LISBON = ZoneInfo("Europe/Lisbon")
_HOUR = 3_600_000
_SATURDAY = date(2026, 11, 21)
_TYPED = ("morgen", "nächsten Freitag", "3. März 2027", "zu 1. Okt.", "24.12.", "next friday", "dezember")
_PLANNED = ("Freitag 15 Uhr Neues Lied", "Neues Lied am 3. März um 9", "Fr 15:00 Neues Lied")
_SPOKEN = ("text", "placeholderText", "accessibleName", "accessibleDescription", "toolTip", "windowTitle")


def main() -> None:
    """Run in the language that's current when this module is imported."""
    app = aio.AsyncApplication(["kalends"])
    qt_language.speak(app)
    theme.apply(app, "light")
    service = service_of_today()
    account = service.add_account()
    service.add_post(account, wall_clock() + 30 * _HOUR, "Orders open at nine.")
    service.add_post(account, wall_clock() - 30 * _HOUR, "Nobody saw this.", status="failed")
    told: dict[str, object] = {
        "locale": QLocale().name(),
        "of Qt": QCoreApplication.translate("QPlatformTheme", "Cancel"),
        "days": {typed: str(read_date(typed, _SATURDAY)) for typed in _TYPED},
        "plans": {typed: _planned(typed) for typed in _PLANNED},
    }

    async def work() -> None:
        with tempfile.TemporaryDirectory(prefix="kalends-window-") as name:
            folder = Path(name)
            window = MainWindow(QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat), _LISBON)
            async with workspace(folder, service) as opened, shown(window, (1280, 800)):
                controller = MainController(
                    window, opened, Home(kind=HomeKind.EMBEDDED, name="Studio"), _LISBON
                )
                window.go("calendar")
                told["window"] = sorted(set(_texts(window)))
                told["calendar"] = sorted(set(_texts(controller.calendar)))
                told["posts"] = list(_posts(controller.calendar.model))
                told["commands"] = [one.name for owner in controller.finder.sets() for one in owner.all()]
                controller.close()

    run(app, work)
    json.dump(told, sys.stdout)


def _planned(typed: str) -> tuple[str, str, int | None] | None:
    plan = read_plan(typed, _SATURDAY)
    return (plan.text, str(plan.day), plan.minute) if plan is not None else None


def _texts(inside: QWidget) -> Iterator[str]:
    """Yield all visible and spoken texts of the visible widgets."""
    for widget in (inside, *inside.findChildren(QWidget)):
        if widget.isVisible():
            said = (getattr(widget, name, None) for name in _SPOKEN)
            yield from (text for ask in said if callable(ask) and (text := ask()))


def _posts(model: PostListModel) -> Iterator[str]:
    for row in range(model.rowCount()):
        yield str(model.data(model.index(row), Qt.ItemDataRole.AccessibleTextRole))
