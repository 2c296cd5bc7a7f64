"""Icons grow with the text: at 200 %, each is drawn at least half as large again as at 100 %."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from app.desktop.theme import icons, theme
from tests.gallery.measure.command import set_text_size
from tests.gallery.scene import SMALL, find
from tests.gallery.showing import play
from tests.gallery.stage import Look, Stage, run

_LEAST = 1.5
_CALENDAR = str(Path("app", "desktop", "calendar"))
"""The days have sizes of their own, which `tests/desktop/calendar` checks."""
Sizes = dict[str, int]


@pytest.fixture(autouse=True)
def usual_size(qapp: QApplication) -> Iterator[None]:
    yield
    theme.apply(qapp, "light")


@pytest.mark.parametrize(
    "name",
    [
        "by-hand-sheet",
        "composer-pin-fields",
        "connections",
        *(
            pytest.param(name, marks=pytest.mark.variation)
            for name in ("changes", "palette", "first-account", "slots-panel")
        ),
    ],
)
def test_every_icon_grows_with_the_text(
    name: str, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: Sizes = {}
    usual = icons.pixmap

    def record(icon: str, color: str = "text", size: int = 16, dpr: float = 1.0) -> QPixmap:
        if not _is_of_calendar(sys._getframe(1)):
            drawn[icon] = min(size, drawn.get(icon, size))
        return usual(icon, color, size, dpr)

    found: list[Sizes] = []

    async def look(stage: Stage) -> None:
        assert stage.window is not None
        monkeypatch.setattr(icons, "pixmap", record)
        for size in (100, 200):
            set_text_size(stage.window, size)
            await stage.settle()
            drawn.clear()
            stage.window.grab()
            found.append(dict(drawn))
        monkeypatch.undo()

    async def work() -> None:
        assert await play(find()[name], Look("light", SMALL), look) == []

    run(qapp, work())
    small, large = found
    assert small
    stayed = {icon: (small[icon], size) for icon, size in large.items() if icon in small}
    assert {icon: sizes for icon, sizes in stayed.items() if sizes[1] < _LEAST * sizes[0]} == {}


def _is_of_calendar(frame: FrameType | None) -> bool:
    for _ in range(4):
        if frame is None:
            return False
        if _CALENDAR in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
