"""The frame of the composer: its foot with words of any length, and its body with any height."""

import pytest
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget
from pytestqt.qtbot import QtBot

from app.desktop.composer.frame import ComposerFrame, Foot
from app.desktop.theme import theme
from app.desktop.widgets import primary, quiet, secondary
from app.language import use
from tests.gallery.measure.fits import cut_texts, may_shorten, shortened
from tests.gallery.measure.texts import texts_of


def test_long_words_stand_in_two_rows_and_are_whole() -> None:
    keep, publish, schedule = quiet("Keep it among the drafts"), secondary("Publish"), primary("Schedule")
    foot = Foot(keep, publish, schedule)
    foot.setFixedWidth(440)
    foot.show()
    QApplication.processEvents()
    assert keep.y() == publish.y() == schedule.y()

    schedule.setText("Words of another language")
    foot.fit()
    QApplication.processEvents()
    assert keep.geometry().bottom() < publish.y() == schedule.y()
    assert schedule.width() >= schedule.sizeHint().width()

    schedule.setText("Schedule")
    foot.fit()
    QApplication.processEvents()
    assert keep.y() == publish.y() == schedule.y()


class Lines(QWidget):
    """A line of chips, which needs two lines where it has no room in one."""

    def __init__(self) -> None:
        super().__init__()
        self.widths: list[int] = []
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def heightForWidth(self, width: int) -> int:
        return 30 if width >= 400 else 70

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.widths.append(event.size().width())


def test_the_body_is_as_wide_with_a_scroll_bar_as_without(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    panel, body, lines = QWidget(), QWidget(), Lines()
    qtbot.addWidget(panel)
    frame = ComposerFrame(panel)
    body.setFixedHeight(300)
    frame.add(lines)
    frame.add(body)
    panel.show()
    bar = frame.bar
    seen = set[bool]()
    for height in (*range(440, 640, 4), *range(640, 440, -4)):
        panel.resize(440, height)
        qapp.processEvents()
        seen.add(bar.isEnabled())
    assert seen == {True, False}
    assert set(lines.widths) == {399}


def composed(qtbot: QtBot) -> ComposerFrame:
    """The frame of a composer that replaces a post and has problems."""
    panel = QWidget()
    qtbot.addWidget(panel)
    frame = ComposerFrame(panel)
    frame.set_replaced("Replaces “Winter lookbook”")
    frame.set_saved(saved=True)
    frame.set_state(2, 3, practice=False)
    panel.resize(panel.minimumWidth(), 800)
    panel.show()
    return frame


@pytest.mark.parametrize("language", ["en", "de"])
def test_the_title_is_whole_whatever_the_text_size(qtbot: QtBot, qapp: QApplication, language: str) -> None:
    theme.apply(qapp, "light")
    use(language)
    try:
        frame = composed(qtbot)
        for scale in (1.5, 1.75, 2.0, 1.0):
            theme.apply(qapp, "light", scale)
            frame.fit(800)
            qapp.processEvents()
            assert not list(cut_texts(texts_of(frame._panel)))
            assert all(may_shorten(text) for text in shortened(texts_of(frame._panel)))
    finally:
        use("en")
        theme.apply(qapp, "light")


def test_causes_without_room_for_words_are_counted(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light")
    frame = composed(qtbot)
    assert frame.to_fix.text() == "2 to fix"
    frame._panel.setFixedWidth(300)
    frame.fit(800)
    assert frame.to_fix.text() == "2"
    assert frame.to_fix.accessibleName() == "2 to fix"
    assert frame.to_fix.shows_name
