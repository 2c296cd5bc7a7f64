"""Tables coming in: what is wrong in which cell, and what has become of the rows."""

from datetime import datetime, timedelta

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.desktop.exchange.import_sheet import ImportSheet
from app.desktop.exchange.mapping_form import STATE_NAMES
from app.desktop.shell.main_controller import MainController
from app.language import tr
from app.workspace.exchange.csv_import import RowState
from tests.gallery.hands import click
from tests.gallery.samples import ZONE, full_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage

SCREEN = Screen()
_TEXTS = (
    "Five questions before you cut",
    "The long wool coat is back: same pattern, heavier cloth.",
    "Returns, honestly: what came back and why",
    "Small batch maths: what 24 pieces cost",
    "Swatch day",
    "We are hiring a pattern cutter",
    "A thread on thread counts",
    "How we price a coat",
)
_ACCOUNTS = ("linkedin", "x:okaforstudio", "@okafor.studio", "LinkedIn")


@SCREEN.scene("table-check")
async def check(stage: Stage) -> None:
    """Everything that is wrong, before anything is made."""
    await _opened(stage, full_studio(), _with_problems())


@SCREEN.scene("table-problems")
async def problems(stage: Stage) -> None:
    """Rows with problems alone, and one of them in words."""
    sheet = await _opened(stage, full_studio(), _with_problems())
    sheet.shown.set_value("problems")
    QTest.keyClick(sheet.grid, Qt.Key.Key_F8)
    await stage.settle()


@SCREEN.scene("table-unknown")
async def unknown(stage: Stage) -> None:
    """A table of which nothing is understood."""
    await _opened(stage, full_studio(), "a;b\nOne;Two\nThree;Four\n")


@SCREEN.scene("table-sent")
async def sent(stage: Stage) -> None:
    """What has become of the rows."""
    sheet = await _opened(stage, full_studio(), _with_problems())
    click(sheet.go)
    await stage.until(lambda: sheet.go.text() == tr("Done") and not _kept(sheet))
    await stage.settle()


@SCREEN.scene("table-offline")
async def offline(stage: Stage) -> None:
    service = full_studio()
    sheet = await _opened(stage, service, _with_problems())
    service.online = False
    click(sheet.go)
    await stage.until(lambda: sheet.go.text() == tr("Done"))
    await stage.settle()


def _kept(sheet: ImportSheet) -> bool:
    """Whether rows are still on their way to the service."""
    model = sheet.model
    told = (model.index(row, 1).data() for row in range(model.rowCount()))
    return STATE_NAMES[RowState.KEPT] in told


def _with_problems() -> str:
    first = datetime.now(ZONE) + timedelta(days=3)
    rows = []
    for number in range(40):
        day = first + timedelta(days=number // 2)
        text = _TEXTS[number % len(_TEXTS)]
        rows.append(
            [f"{text} ({number + 1})", _ACCOUNTS[number % 4], f"{day:%d.%m.%Y}", f"{9 + number % 9}:30", ""]
        )
    rows[2][3] = "half past nine"
    rows[4][1] = "@nobody"
    rows[5][4] = "photos/coat.heic"
    rows[7][2] = f"31.02.{first:%Y}"
    rows[9][0] = "Tall story. " * 40
    rows[11][2] = ""
    lines = [";".join(row) for row in rows]
    return "\n".join(("Text;Profile;Datum;Uhrzeit;Bild", *lines))


async def _opened(stage: Stage, service: StudioService, table: str) -> ImportSheet:
    controller: MainController = await stage.controller(service)
    controller.window.go("calendar")
    await stage.settle()
    path = stage.folder / "december.csv"
    path.write_text(table, "utf-8")
    sheet = controller.tables.open(path)
    await stage.until(lambda: sheet.model.rowCount() > 0)
    await stage.settle()
    return sheet
