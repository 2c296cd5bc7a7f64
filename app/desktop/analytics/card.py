"""A card with a chart, and the table of the same numbers behind a switch."""

from typing import Final

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from app.desktop.analytics.figure_table import FigureTable
from app.desktop.widgets import ElidedLabel, IconButton, Label, Panel
from app.language import tr

_INSET: Final = 16
_FINE: Final = 2


class ChartCard(Panel):
    """``head`` has room for more between the title and the switch."""

    def __init__(self, title: str, chart: QWidget) -> None:
        super().__init__()
        self.title, self.note = Label(title, "strong"), ElidedLabel("", "card", "text3")
        self.table = FigureTable(title)
        self.switch = IconButton("list", tr("{title} as a table", title=title), size="small", checkable=True)
        self._stack = QStackedWidget()
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._stack.addWidget(chart)
        self._stack.addWidget(self.table)
        self.switch.toggled.connect(self.show_table)
        self.setAccessibleName(title)
        self.head = QHBoxLayout()
        self.head.setContentsMargins(_INSET, 0, 8, 0)
        self.head.setSpacing(8)
        self.head.addWidget(self.title)
        self.head.addWidget(self.note, 1)
        self.head.addWidget(self.switch)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(1, 8, 1, 8)
        self.column.setSpacing(4)
        self.column.addLayout(self.head)
        self.column.addWidget(self._stack, 1)

    def show_table(self, shows: bool = True) -> None:
        """Show the table, or the chart again."""
        self.switch.setChecked(shows)
        self._stack.setCurrentIndex(int(shows))

    def set_title(self, words: str) -> None:
        """Call the card, its table and its switch this."""
        if words == self.title.text():
            return
        self.title.setText(words)
        self.setAccessibleName(words)
        self.table.setAccessibleName(words)
        self.switch.set_name(tr("{title} as a table", title=words))

    def picture(self) -> QImage:
        """The card as it shows, twice as fine as a plain screen."""
        picture = QImage(self.size() * _FINE, QImage.Format.Format_ARGB32)
        picture.setDevicePixelRatio(_FINE)
        picture.fill(0)
        self.render(picture)
        return picture
