"""What stands in the way of planning a post, in sentences."""

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.widgets import IconLabel, Label, Panel, PausedAnnouncer
from app.language import tr


class ProblemList(Panel):
    """The sentences, one below the other; it hides itself while there are none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(fill="warn_soft", parent=parent)
        self._texts: tuple[str, ...] = ()
        self._announcer = PausedAnnouncer(self)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(12, 9, 12, 9)
        self._column.setSpacing(5)
        self.hide()

    def texts(self) -> tuple[str, ...]:
        """Return what is listed."""
        return self._texts

    def set_texts(self, texts: Sequence[str]) -> None:
        """List other sentences."""
        if tuple(texts) == self._texts:
            return
        self._texts = tuple(texts)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for text in self._texts:
            self._column.addWidget(_line(text))
        self.setAccessibleName(" ".join(self._texts))
        self._announcer.tell(self.accessibleName() or tr("All problems are fixed."))
        self.setVisible(bool(self._texts))


def _line(text: str) -> QWidget:
    line = QWidget()
    row = QHBoxLayout(line)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(10)
    row.addWidget(IconLabel("triangle-alert", "warn", 14))
    row.addWidget(Label(text, "card", wrap=True), 1)
    return line
