"""The screen while a calendar moves: what is happening, how far it is, and how to stop."""

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.desktop.theme.theme import grow
from app.desktop.widgets import FoldButton, IconLabel, Label, announce, primary, secondary
from app.language import tr
from app.workspace.homes.moving.messages import MoveProgress
from app.workspace.messages import Problem

_WIDTH: Final = 520
_WIDEST: Final = 860
_PERCENT: Final = 100
_SAFE: Final = tr(
    "You can close Kalends at any time: it continues at the next start. Nothing is published until the "
    "calendar has arrived."
)


class MoveScreen(QWidget):
    """Progress, or the problem that stopped the move."""

    continue_wanted = Signal()
    cancel_wanted = Signal()

    def __init__(self, title: str, stopped: str) -> None:
        """``stopped`` is the title while there's a problem."""
        super().__init__()
        self._titles = title, stopped
        self.title = Label(title, "title")
        self.setProperty("ground", "bg")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(title)
        self._told = ""
        self._icon = IconLabel("server", "accent", 28)
        self.text, self.details = _words("text", "text2"), _words("small", "text3")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(title)
        grow(self.bar, QWidget.setFixedWidth, _WIDTH, _WIDEST)
        self.go_on, self.cancel = primary(tr("Continue")), secondary(tr("Cancel the move"))
        self.go_on.clicked.connect(self.continue_wanted)
        self.cancel.clicked.connect(self.cancel_wanted)
        self.more = FoldButton(tr("Details"), self.details)
        self._lay_out()
        self.show_progress(MoveProgress(tr("Closing the calendar")))

    def show_progress(self, progress: MoveProgress) -> None:
        """Show what is happening."""
        if progress.text != self._told:
            announce(self, progress.text)
        self._told = progress.text
        self.title.setText(self._titles[0])
        self.more.hide()
        self.details.show()
        self.text.setText(f"{progress.text}…")
        self.details.setText(_SAFE)
        self._icon.set_icon("server", "accent")
        self.bar.setRange(0, 0 if progress.done is None else _PERCENT)
        self.bar.setValue(round((progress.done or 0) * _PERCENT))
        self.bar.show()
        self.go_on.hide()
        self.cancel.setEnabled(True)

    def show_ending(self, progress: MoveProgress) -> None:
        """Show that the move is being cancelled or is complete, so it can't be cancelled any more."""
        self.show_progress(progress)
        self.cancel.setEnabled(False)

    def show_problem(self, problem: Problem) -> None:
        """Show why the move stopped."""
        self._told = ""
        self.text.setText(problem.text)
        self.title.setText(self._titles[1])
        self.details.setText(problem.details)
        self.more.setVisible(bool(problem.details))
        self.more.setChecked(False)
        self.details.hide()
        self._icon.set_icon("circle-alert", "bad")
        self.bar.hide()
        self.go_on.show()
        self.cancel.setEnabled(True)
        self.go_on.setFocus()
        announce(self, problem.text)

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addStretch(1)
        buttons.addWidget(self.go_on)
        buttons.addWidget(self.cancel)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setSpacing(12)
        column.addStretch(1)
        for widget in (self._icon, self.title, self.text, self.bar, self.more, self.details):
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addLayout(buttons)
        column.addStretch(1)


def _words(style: str, color: str) -> Label:
    label = Label("", "text" if style == "text" else "small", color, wrap=True)
    grow(label, QWidget.setFixedWidth, _WIDTH, _WIDEST)
    label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
    label.setTextInteractionFlags(
        Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
    )
    return label
