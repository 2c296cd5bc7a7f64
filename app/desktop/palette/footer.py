"""Below the results: what the keys do, and how many posts there are in all."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.desktop.commands import spoken
from app.desktop.theme.growing import grow
from app.desktop.widgets import Button, KeyHint, Label
from app.language import tr, trn

_HEIGHT = 42


class Footer(QWidget):
    """Hints, and a button that takes all posts that match to the calendar."""

    all_chosen = Signal()
    search_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        grow(self, QWidget.setFixedHeight, _HEIGHT)
        self.all = Button("", "quiet", size="small", key_hint=spoken("Ctrl+Return"))
        self.search = Button(tr("Search everything"), "quiet", size="small", key_hint=spoken("Ctrl+F"))
        self._open = Label(tr("Run"), "card", "text3")
        row = QHBoxLayout(self)
        row.setContentsMargins(18, 0, 8, 0)
        row.setSpacing(8)
        for keys, label in (
            ("↑ ↓", Label(tr("Navigate"), "card", "text3")),
            (spoken("Return"), self._open),
        ):
            row.addWidget(KeyHint(keys))
            row.addWidget(label)
            row.addSpacing(8)
        row.addWidget(KeyHint("Esc"))
        row.addWidget(Label(tr("Close"), "card", "text3"))
        row.addStretch(1)
        row.addWidget(self.search)
        row.addWidget(self.all)
        self.all.clicked.connect(self.all_chosen)
        self.search.clicked.connect(self.search_asked)
        self.show_matching(None)

    def show_mode(self, *, searching: bool) -> None:
        """Says what Enter does, and leads from the commands to the search."""
        self._open.setText(tr("Open") if searching else tr("Run"))
        self.search.setVisible(not searching)

    def show_matching(self, count: int | None) -> None:
        """Offers to choose so many posts; None or 0 for nothing to choose."""
        self.all.setText(trn("Select this post", "Select all {n} posts", count or 0))
        self.all.setVisible(bool(count))
        self.all.updateGeometry()
