"""How a post did: four numbers with their names."""

from typing import Final

from PySide6.QtWidgets import QGridLayout, QWidget

from app.desktop.history.wording import count
from app.desktop.widgets import Divider, Label
from app.language import mid_sentence, tr
from app.workspace.analytics.counts import Counts

_NAMES: Final = (tr("Views"), tr("Likes"), tr("Comments"), tr("Shares"))


class Figures(QWidget):
    """Hidden while nothing is known; a dash for what the platform doesn't report."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = [Label("", "section") for _ in _NAMES]
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(0)
        grid.addWidget(Divider(inner=True), 0, 0, 1, len(_NAMES))
        for column, (label, name) in enumerate(zip(self.numbers, _NAMES, strict=True)):
            label.setContentsMargins(0, 8, 0, 0)
            grid.addWidget(label, 1, column)
            grid.addWidget(Label(mid_sentence(name), "small", "text3"), 2, column)
            grid.setColumnStretch(column, 1)
        self.hide()

    def show_counts(self, counts: Counts) -> None:
        """Show a post's last counts."""
        for label, value in zip(self.numbers, counts, strict=True):
            label.setText(count(value))
        self.setVisible(any(value is not None for value in counts))
