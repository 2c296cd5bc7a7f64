"""What prevents scheduling: a strip for each cause, with its fix."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QVBoxLayout, QWidget

from app.desktop.composer.repairs import RepairRow
from app.desktop.theme import theme
from app.desktop.widgets import Button, IconLabel, Label, PausedAnnouncer
from app.desktop.widgets.painting import insets, rounded
from app.language import tr

_LEAST_WORDS = 190
"""The width that the words keep at least beside a button, with what is around them."""

_AROUND_WORDS = 54
"""Width of the margins, the icon and the gaps next to the words."""

_MOST_LINES = 2
"""Number of lines of words beside a button; more words have it below them."""


@dataclass(frozen=True, slots=True)
class Cause:
    """A sentence, and the action of its button.

    Attributes:
        label: The button's label; "" for no button.
        fix: Its action.
    """

    text: str
    label: str = ""
    fix: Callable[[], None] | None = None


class _Strip(QFrame):
    """A sentence on a warning background, with a widget next to it, or below it in little space."""

    def __init__(self, text: str, side: QWidget | None = None) -> None:
        super().__init__()
        self.words, self._side, self._is_below = Label(text, "card", wrap=True), side, False
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(insets(12, 8, 8, 8))
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(6)
        grid.setColumnStretch(1, 1)
        grid.setRowMinimumHeight(0, theme.current().metrics.control_small)
        sign = IconLabel("triangle-alert", "warn", 14)
        grid.addWidget(sign, 0, 0)
        grid.addWidget(self.words, 0, 1)
        if side is not None:
            grid.addWidget(side, 0, 2)

    def fit(self) -> None:
        """Put the widget next to the text or below it."""
        if self._side is None:
            return
        beside = self._side.sizeHint().width()
        room = self.width() - beside - theme.current().grown(_AROUND_WORDS)
        is_narrow = beside + theme.current().grown(_LEAST_WORDS) > self.width()
        if (is_narrow or self._lines(room) > _MOST_LINES) is not self._is_below:
            self._is_below = not self._is_below
            self._grid.removeWidget(self._side)
            if self._is_below:
                self._grid.addWidget(self._side, 1, 1)
            else:
                self._grid.addWidget(self._side, 0, 2)

    def _lines(self, width: int) -> int:
        """Return the number of lines that the words take in a width."""
        return self.words.heightForWidth(max(1, width)) // self.words.fontMetrics().lineSpacing()

    def paintEvent(self, _event: QPaintEvent) -> None:
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill="warn_soft")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


class CauseList(QWidget):
    """A strip for each cause; all causes in the file share one.

    Hidden without causes. Its text is announced once it hasn't changed for a moment.
    """

    rearranged = Signal()
    """There are other buttons, so that Tab has to be put in order."""

    def __init__(self, repair: RepairRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._causes: tuple[Cause, ...] = ()
        self._file: tuple[str, ...] = ()
        self._before = 0
        """How many causes are above the one about the file."""
        self._strips: list[_Strip] = []
        self._repair = repair
        self._announcer = PausedAnnouncer(self)
        self._of_file = _Strip("", repair)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self._of_file)
        repair.changed.connect(self._show)
        self._show()

    def texts(self) -> tuple[str, ...]:
        """Return the shown sentences, from top to bottom."""
        texts = [cause.text for cause in self._causes]
        return (*texts[: self._before], *self._file, *texts[self._before :])

    def button(self, label: str) -> Button:
        """Return the button with a label; raises KeyError if there is none."""
        for strip in self._strips:
            for button in strip.findChildren(Button):
                if button.text() == label:
                    return button
        raise KeyError(label)

    def set_causes(self, causes: Sequence[Cause], file: Sequence[str], before_file: int) -> None:
        """Show these causes, and sentences about the file, below a number of the causes."""
        before = self.texts()
        is_same = [(one.text, one.label) for one in causes] == [(one.text, one.label) for one in self._causes]
        if not is_same or before_file != self._before:
            self._before = before_file
            self._fill(causes)
        self._causes, self._file = tuple(causes), tuple(file)
        self._of_file.words.setText("\n".join(self._file))
        if self.texts() != before:
            self.setAccessibleName(" ".join(self.texts()))
            self._announcer.tell(self.accessibleName() or tr("All problems are fixed."))
        self._show()

    def skip_announcement(self) -> None:
        """Don't announce the current causes, because the refusal just named them."""
        self._announcer.skip()

    def _fill(self, causes: Sequence[Cause]) -> None:
        for strip in self._strips:
            self._column.removeWidget(strip)
            strip.hide()
            strip.deleteLater()
        self._strips = [_Strip(cause.text, _button(cause)) for cause in causes]
        for place, strip in enumerate(self._strips):
            self._column.insertWidget(place if place < self._before else place + 1, strip)
        for strip in (*self._strips[: self._before], self._of_file, *self._strips[self._before :]):
            strip.raise_()  # Tab goes by the order of a widget's children
        self.rearranged.emit()

    def _show(self) -> None:
        is_offered = not self._repair.isHidden()
        self._of_file.words.setVisible(bool(self._file))
        self._of_file.setVisible(bool(self._file) or is_offered)
        self._of_file.fit()
        self.setVisible(bool(self.texts()) or is_offered)


def _button(cause: Cause) -> Button | None:
    if not cause.label:
        return None
    button = Button(cause.label, size="small")
    button.setAccessibleDescription(cause.text)
    if cause.fix is not None:
        button.clicked.connect(cause.fix)
    return button
