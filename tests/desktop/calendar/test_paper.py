"""The calendar on paper and in calendar files."""

from pathlib import Path

import pytest
from icalendar import Calendar
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.paper import Paper
from app.desktop.calendar.printing import CalendarExport, print_onto
from app.desktop.calendar.spans import Span
from app.desktop.theme import theme
from app.workspace.accounts.account import Account
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import account, instant, post
from tests.desktop.running import run
from tests.workspace.opened import until

NOW = instant("2031-06-10T11:00")
SHEET = QSize(1_400, 990)


def june() -> list[PlannedPost]:
    return [post(f"{day:02}", f"2031-06-{day:02}T09:00") for day in range(1, 30)]


def practising(key: str) -> Account:
    return account(key, practice=True)


def paper(hands: Hands) -> Paper:
    return Paper(hands.pane.model, hands.pane._days, account, NOW)


def sheets(hands: Hands, span: Span, day: int) -> list[QImage]:
    images = []
    with theme.on_paper():
        printed = paper(hands)
        for sheet in printed.sheets(span, day, SHEET):
            image = QImage(SHEET, QImage.Format.Format_RGB32)
            image.fill("white")
            painter = QPainter(image)
            printed.paint(painter, sheet, span, day, QRect(0, 0, SHEET.width(), SHEET.height()))
            painter.end()
            images.append(image)
    return images


@pytest.mark.parametrize("span", list(Span))
def test_every_span_prints_into_a_file(take: MakeHands, tmp_path: Path, span: Span) -> None:
    hands = take(*june())
    hands.show(span, "2031-06-09")
    file = tmp_path / "june.pdf"
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(file))
    printer.setPageOrientation(QPageLayout.Orientation.Landscape)
    print_onto(printer, paper(hands), span, hands.pane.grid.shown_day)
    assert file.read_bytes().startswith(b"%PDF")
    assert file.stat().st_size > 10_000


def test_paper_is_light_whatever_the_screen_shows(take: MakeHands, qapp: QApplication) -> None:
    hands = take(*june())
    light = sheets(hands, Span.MONTH, hands.pane.grid.shown_day)
    theme.apply(qapp, "dark")
    assert sheets(hands, Span.MONTH, hands.pane.grid.shown_day) == light
    assert theme.current().tokens is theme.TABLES["dark"]


def test_a_long_agenda_takes_several_sheets_and_tears_no_day_apart(take: MakeHands) -> None:
    hands = take(*june())
    day = hands.pane.grid.shown_day
    with theme.on_paper():
        parts = list(paper(hands).sheets(Span.AGENDA, day, SHEET))
    assert len(parts) > 1
    assert [part.first for part in parts] == [True] + [False] * (len(parts) - 1)
    tops = {part.page.geometry.cell(day + number).y for part in parts for number in range(40)}
    assert all(part.shown.y in tops for part in parts)


def test_a_calendar_file_holds_what_shows(take: MakeHands, qapp: QApplication, tmp_path: Path) -> None:
    hands = take(*june())
    file = tmp_path / "june.ics"
    told: list[Message] = []

    async def work() -> None:
        export = CalendarExport(hands.pane.model, practising, "Europe/Lisbon", hands.pane)
        export.told.connect(told.append)
        export.write(file)
        await until(lambda: bool(told))
        export.write(tmp_path / "missing" / "june.ics")
        await until(lambda: len(told) == 2)

    run(qapp, work)
    events = Calendar.from_ical(file.read_bytes()).walk("VEVENT")
    assert len(events) == 29
    assert str(events[0]["summary"]) == "Launch teaser (practice)"
    said = str(events[0]["description"]).splitlines()
    assert said[0] == "Name of studio on LinkedIn (practice)"
    assert len(said) == 2
    assert told[0].text == "29 posts exported to june.ics."
    assert told[1].kind == "error"
    assert "No such file" in told[1].text
    assert not (tmp_path / "missing").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["june.ics"]


def test_a_month_of_six_weeks_is_whole(take: MakeHands) -> None:
    hands = take(*june(), post("30", "2031-06-30T09:00"))
    with theme.on_paper():
        (sheet,) = paper(hands).sheets(Span.MONTH, hands.pane.grid.shown_day, SHEET)
    cell = sheet.page.geometry.cell(hands.pane._days.place(instant("2031-06-30T09:00")).day)
    assert sheet.shown.y <= cell.y
    assert cell.y + cell.height <= sheet.shown.y + sheet.shown.height + 1
