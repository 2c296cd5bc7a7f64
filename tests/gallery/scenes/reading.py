"""Screens for people who read larger text, or from right to left."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.desktop.calendar.days import Span
from app.desktop.palette import Palette
from app.desktop.shell.main_controller import MainController
from tests.gallery.hands import ordinal, the
from tests.gallery.samples import full_studio, this_monday, week_studio
from tests.gallery.scene import Screen
from tests.gallery.service import StudioService
from tests.gallery.stage import Stage

SCREEN = Screen()


@SCREEN.scene("larger-text-month")
async def larger_month(stage: Stage) -> None:
    await _calendar(stage, full_studio(), Span.MONTH, larger=True)


@SCREEN.scene("larger-text-week")
async def larger_week(stage: Stage) -> None:
    await _calendar(stage, week_studio(week=1), Span.WEEK, larger=True)


@SCREEN.scene("larger-text-agenda")
async def larger_agenda(stage: Stage) -> None:
    await _calendar(stage, full_studio(), Span.AGENDA, larger=True)


@SCREEN.scene("larger-text-connections")
async def larger_connections(stage: Stage) -> None:
    (await _calendar(stage, full_studio(), Span.MONTH, larger=True)).window.go("connections")


@SCREEN.scene("larger-text-palette")
async def larger_palette(stage: Stage) -> None:
    controller = await _calendar(stage, full_studio(), Span.MONTH, larger=True)
    controller.finder.open_palette()
    the(Palette, controller.window)


@SCREEN.scene("from-right-month")
async def mirrored_month(stage: Stage) -> None:
    """Rail, toolbar and panels are mirrored; days and hours run as time does."""
    await _calendar(stage, full_studio(), Span.MONTH)


@SCREEN.scene("from-right-agenda")
async def mirrored_agenda(stage: Stage) -> None:
    await _calendar(stage, full_studio(), Span.AGENDA)


@SCREEN.scene("from-right-connections")
async def mirrored_connections(stage: Stage) -> None:
    (await _calendar(stage, full_studio(), Span.MONTH)).window.go("connections")


async def _calendar(
    stage: Stage, service: StudioService, span: Span, *, larger: bool = False
) -> MainController:
    """A span in text two steps larger, or else mirrored."""
    if not larger:
        _mirror(stage)
    controller = await stage.controller(service)
    for _ in range(2 if larger else 0):
        controller.window.change_text_size(1)
    controller.window.go("calendar")
    week = this_monday() + 7
    controller.calendar.show_span(span, ordinal(week if span is Span.WEEK else 0))
    await stage.settle()
    return controller


def _mirror(stage: Stage) -> None:
    QApplication.setLayoutDirection(Qt.LayoutDirection.RightToLeft)

    async def turn_back() -> None:
        QApplication.setLayoutDirection(Qt.LayoutDirection.LeftToRight)

    stage.keep(turn_back)
