"""The calendar on paper and in calendar files."""

import asyncio
import re
from pathlib import Path

import pytest
from icalendar import Calendar
from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QImage, QPageLayout, QPainter
from PySide6.QtPrintSupport import QPrinter
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.calendar.printing import CalendarExport, CalendarPrint, Paper
from app.desktop.theme import theme
from app.workspace.accounts.account import Account
from app.workspace.messages import Message
from app.workspace.posts.planned import PlannedPost
from tests.desktop.calendar.conftest import MakeHands
from tests.desktop.calendar.hands import Hands
from tests.desktop.calendar.memory import account, instant, post
from tests.desktop.running import run
from tests.workspace.opened import until

LANDSCAPE = QPageLayout.Orientation.Landscape
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
            list(printed.paint(painter, sheet, span, day, QRect(0, 0, SHEET.width(), SHEET.height())))
            painter.end()
            images.append(image)
    return images


def printed(
    qapp: QApplication, hands: Hands, file: Path, orientation: QPageLayout.Orientation = LANDSCAPE
) -> list[Message]:
    """Prints what shows into a file; gives what was told."""
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(file))
    printer.setPageOrientation(orientation)
    told: list[Message] = []

    async def work() -> None:
        grid = hands.pane.grid
        printing = CalendarPrint(paper(hands), grid.span, grid.shown_day, hands.pane)
        printing.told.connect(told.append)
        printing.print(printer)
        await until(lambda: bool(told))

    run(qapp, work)
    return told


def pages(file: Path) -> list[tuple[float, float]]:
    """The width and height of each page of a PDF file, in points."""
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", file.read_bytes())
    return [(float(width), float(height)) for width, height in boxes]


@pytest.mark.parametrize("span", [Span.MONTH, Span.WEEK, Span.DAY])
def test_a_period_prints_onto_one_sheet_of_a_file(
    take: MakeHands, qapp: QApplication, tmp_path: Path, span: Span
) -> None:
    hands = take(*june())
    hands.show(span, "2031-06-09")
    file = tmp_path / "june.pdf"
    assert [one.text for one in printed(qapp, hands, file)] == ["Saved as june.pdf."]
    assert file.read_bytes().startswith(b"%PDF")
    [(width, height)] = pages(file)
    assert width > height
    assert file.stat().st_size > 10_000


def test_an_agenda_prints_onto_as_many_sheets_as_it_takes(
    take: MakeHands, qapp: QApplication, tmp_path: Path
) -> None:
    busy = (
        post(f"{day}{hour}", f"2031-06-{day:02}T{hour:02}:00") for day in range(9, 30) for hour in range(9)
    )
    hands = take(*busy)
    hands.show(Span.AGENDA, "2031-06-09")
    file = tmp_path / "june.pdf"
    printed(qapp, hands, file, QPageLayout.Orientation.Portrait)
    assert len(pages(file)) > 3
    assert all(width < height for width, height in pages(file))


def test_the_screen_keeps_its_colours_while_it_is_printed(
    take: MakeHands, qapp: QApplication, tmp_path: Path
) -> None:
    hands = take(*june())
    theme.apply(qapp, "dark")
    printer = QPrinter(QPrinter.PrinterMode.HighResolution)
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "june.pdf"))
    told: list[Message] = []
    seen = set()

    async def work() -> None:
        printing = CalendarPrint(paper(hands), Span.MONTH, hands.pane.grid.shown_day, hands.pane)
        printing.told.connect(told.append)
        printing.print(printer)
        for _ in range(20):
            await asyncio.sleep(0)
            seen.add(theme.current().tokens is theme.TABLES["dark"])
        assert not told
        await until(lambda: bool(told))

    run(qapp, work)
    assert seen == {True}


@pytest.mark.qt_log_ignore("QPainter::begin", extend=True)
def test_a_file_that_cannot_be_printed_to_is_told(
    take: MakeHands, qapp: QApplication, tmp_path: Path
) -> None:
    hands = take(*june())
    [told] = printed(qapp, hands, tmp_path / "missing" / "june.pdf")
    assert told.kind == "error"
    assert told.text == "Can't print to june.pdf. Choose another printer or file."


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
    assert [part.number for part in parts] == list(range(1, len(parts) + 1))
    tops = {part.page.geometry.cell(day + number).y for part in parts for number in range(40)}
    assert all(part.shown.y in tops for part in parts)


def test_a_calendar_file_holds_what_shows(take: MakeHands, qapp: QApplication, tmp_path: Path) -> None:
    hands = take(*june())
    file = tmp_path / "june.ics"
    told: list[Message] = []

    async def work() -> None:
        export = CalendarExport(
            hands.pane.model, practising, hands.workspace.texts, "Europe/Lisbon", hands.pane
        )
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
    assert said[:4] == ["Launch teaser", "and more", "", "Name of studio on LinkedIn (practice)"]
    assert len(said) == 5
    assert told[0].text == "29 posts exported to june.ics."
    assert told[1].kind == "error"
    assert told[1].text == "Couldn't write the calendar file: it doesn't exist."
    assert not (tmp_path / "missing").exists()
    assert [one.name for one in tmp_path.iterdir()] == ["june.ics"]


def test_a_long_export_is_told_before_and_after(take: MakeHands, qapp: QApplication, tmp_path: Path) -> None:
    hands = take(*(post(f"{n}", NOW + n * 60_000) for n in range(3_001)))
    file = tmp_path / "all.ics"
    told: list[Message] = []

    async def work() -> None:
        export = CalendarExport(
            hands.pane.model, practising, hands.workspace.texts, "Europe/Lisbon", hands.pane
        )
        export.told.connect(told.append)
        export.write(file)
        await until(lambda: len(told) == 2)

    run(qapp, work)
    assert [one.text for one in told] == [
        "Exporting 3,001 posts to all.ics …",
        "3,001 posts exported to all.ics.",
    ]
    assert file.read_bytes().count(b"BEGIN:VEVENT\r\n") == 3_001


def test_a_month_of_six_weeks_is_whole(take: MakeHands) -> None:
    hands = take(*june(), post("30", "2031-06-30T09:00"))
    with theme.on_paper():
        (sheet,) = paper(hands).sheets(Span.MONTH, hands.pane.grid.shown_day, SHEET)
    cell = sheet.page.geometry.cell(hands.pane._days.place(instant("2031-06-30T09:00")).day)
    assert sheet.shown.y <= cell.y
    assert cell.y + cell.height <= sheet.shown.y + sheet.shown.height + 1
