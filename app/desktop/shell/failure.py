"""The screen for a calendar that can't be opened: what happened, and what to do."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme.theme import grow
from app.desktop.widgets import FoldButton, IconLabel, Label, primary, secondary
from app.language import tr

_WIDTH = 520
_WIDEST = 860


class FailureScreen(QWidget):
    """A sentence or two, technical details once they're asked for, and what can be done."""

    retry = Signal()
    elsewhere = Signal()
    back_wanted = Signal()

    def __init__(
        self, text: str, details: str, title: str = "", *, has_other: bool = True, before: str = ""
    ) -> None:
        """Show a failure.

        Args:
            text: what happened, and what to do.
            details: the technical details, or "".
            title: "" for the usual one.
            has_other: whether another calendar can be opened.
            before: the name of the calendar that was open before and can be opened again, or "".
        """
        super().__init__()
        self.setProperty("ground", "bg")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.text = text
        self.details = _words(details, "text3")
        self.more = FoldButton(tr("Details"), self.details)
        if not details:  # without a parent yet, showing it would open a window
            self.more.hide()
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        for widget in (
            IconLabel("circle-alert", "bad", 28),
            Label(title or tr("Couldn't open this calendar"), "title"),
            _words(text, "text2"),
            self.more,
            self.details,
            self._buttons(before, has_other=has_other),
        ):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)

    def _buttons(self, before: str, *, has_other: bool) -> QWidget:
        again = primary(tr("Try again"))
        again.clicked.connect(self.retry)
        other = secondary(tr("Use another calendar"))
        other.clicked.connect(self.elsewhere)
        if not has_other:
            other.hide()
        back = secondary(tr("Back to {calendar}", calendar=before))
        back.clicked.connect(self.back_wanted)
        if not before:
            back.hide()
        holder = QWidget()
        grow(holder, QWidget.setFixedWidth, _WIDTH, _WIDEST)
        rows, row = QVBoxLayout(holder), QHBoxLayout()
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        row.setSpacing(8)
        row.addStretch(1)
        row.addWidget(again)
        row.addWidget(other)
        row.addStretch(1)
        rows.addLayout(row)
        rows.addWidget(back, 0, Qt.AlignmentFlag.AlignHCenter)
        return holder


def _words(text: str, color: str) -> Label:
    label = Label(text, "text" if color == "text2" else "small", color, wrap=True)
    grow(label, QWidget.setFixedWidth, _WIDTH, _WIDEST)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    if not text:  # without a parent yet, showing it would open a window
        label.hide()
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
