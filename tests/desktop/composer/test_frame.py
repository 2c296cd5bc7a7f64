"""The foot of the composer, with words of any length."""

from PySide6.QtWidgets import QApplication

from app.desktop.composer.frame import Foot
from app.desktop.widgets import primary, quiet, secondary


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
