"""The offer to make a copy of a file that the platforms take, and how far that is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.charts.meters import ProgressMeter
from app.desktop.composer import repair_words
from app.desktop.widgets import Button, FlowLayout, Label, announce
from app.language import tr
from app.media.recipe import Recipe


class RepairRow(QWidget):
    """Shows what can be done; asks others to do it (``asked``), to choose the part, and to stop."""

    asked = Signal()
    choose = Signal()
    stopped = Signal()
    left = Signal()
    """It had the focus, and is gone."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.make = Button(icon="wrench", size="small")
        self.part = Button(tr("Choose the part…"), size="small")
        self.stop = Button(tr("Stop"), size="small")
        self.note = Label("", "card", "text2", wrap=True)
        self._choices = QWidget()
        self.bar = ProgressMeter()
        self._lay_out()
        self.make.clicked.connect(self.asked)
        self.part.clicked.connect(self.choose)
        self.stop.clicked.connect(self.stopped)
        self.hide()

    def offer(self, recipe: Recipe | None, why_not: str = "") -> None:
        """Show what would be done, or why nothing can be; nothing at all without either."""
        had_focus = self.isAncestorOf(QApplication.focusWidget() or self.window())
        self.setVisible(recipe is not None or bool(why_not))
        self._choices.setVisible(recipe is not None)
        self.make.setVisible(recipe is not None)
        self.part.setVisible(recipe is not None and (recipe.crop is not None or recipe.length_ms is not None))
        self.stop.hide()
        self.bar.hide()
        if recipe is not None:
            self.make.setText(repair_words.verb(recipe))
            self.make.setToolTip(repair_words.outcome(recipe))
        self._say(repair_words.outcome(recipe) if recipe is not None else why_not)
        if had_focus and recipe is not None:
            self.make.setFocus()
        elif had_focus:
            self.left.emit()

    def take_focus(self) -> bool:
        """Take the focus where something can be done; False where nothing can."""
        for button in (self.make, self.stop):
            if button.isVisible() and button.isEnabled():
                button.setFocus()
                return True
        return False

    def show_progress(self, share: float) -> None:
        """Show how far the copy is, from 0 to 1."""
        had_focus, begins = self.make.hasFocus() or self.part.hasFocus(), self.stop.isHidden()
        self.show()
        self._choices.hide()
        self.make.hide()
        self.part.hide()
        self.stop.show()
        self.bar.show()
        self.bar.set_share(share)
        self._say(repair_words.progress(share))
        if begins:
            announce(self, self.note.text())
        if had_focus:
            self.stop.setFocus()

    def _say(self, text: str) -> None:
        self.note.setText(text)
        self.setAccessibleName(text)

    def _lay_out(self) -> None:
        buttons = FlowLayout(self._choices, gap=8)
        for button in (self.make, self.part):
            buttons.addWidget(button)
        running = QHBoxLayout()
        running.setSpacing(10)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.note)
        words.addWidget(self.bar)
        running.addLayout(words, 1)
        running.addWidget(self.stop)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self._choices)
        column.addLayout(running)
