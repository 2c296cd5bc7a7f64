"""The third-party notices: a list of works, and the licence texts of one."""

from typing import Final

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QListWidgetItem,
    QStackedWidget,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.desktop.kit.code import Code
from app.desktop.kit.row_delegate import TRAILING, Index, Row, RowDelegate
from app.desktop.theme import theme
from app.desktop.widgets import Button, Divider, Label, Sheet, quiet
from app.desktop.widgets.screen_reader import ListWidget
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr
from app.workspace.settings.about import Notices, Work

WORK: Final = Qt.ItemDataRole.UserRole
_WIDTH: Final = 720
_HEIGHT: Final = 440
_INSET: Final = 20
_ROW: Final = 40
_CHEVRON: Final = 14
_NAME_SHARE: Final = 0.55


class _WorkRow(RowDelegate):
    """Name, version, licence, and a chevron."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, max(_ROW, QFontMetrics(theme.current().font("text")).height() + 20))

    def paint_row(self, row: Row, index: Index) -> None:
        look, work = theme.current(), index.data(WORK)
        row.band(line=index.row() > 0)
        inner = row.area.adjusted(_INSET, 0, -_INSET, 0)
        edge = look.grown(_CHEVRON)
        row.icon(row.middle(inner.right() - edge, edge, edge), "chevron-right", "text3")
        inner.setRight(inner.right() - edge - 12)
        name = QRect(inner.left(), inner.top(), round(inner.width() * _NAME_SHARE), inner.height())
        row.write(name, _named(work), look.font("text", QFont.Weight.Medium), "text")
        rest = inner.adjusted(name.width() + 12, 0, 0, 0)
        row.write(rest, work.licence, look.font("card"), "text2", side=TRAILING)


class NoticesSheet(Sheet):
    """Selecting a work shows its texts; Back returns to the list."""

    def __init__(self, host: QWidget, notices: Notices) -> None:
        title = tr("Third-party notices")
        super().__init__(host, title, _WIDTH)
        self.title, self.back = Label(title, "section"), quiet(tr("Back"), "chevron-left", size="small")
        self.list, self.text, self._pages = ListWidget(), Code(title), QStackedWidget()
        self.done = Button(tr("Close"), key_hint="Esc")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setProperty("bare", True)
        self.list.setUniformItemSizes(True)
        self.list.setMouseTracking(True)
        self.list.setAccessibleName(tr("Works of others"))
        self.list.setItemDelegate(_WorkRow(self.list))
        self._fill(notices.works)
        self._lay_out(notices.introduction)
        self.list.itemClicked.connect(self._open)
        self.list.itemActivated.connect(self._open)
        self.back.clicked.connect(self._return)
        self.done.clicked.connect(self.dismiss)
        self._return()

    def _fill(self, works: tuple[Work, ...]) -> None:
        for work in works:
            item = QListWidgetItem(_named(work))
            item.setData(WORK, work)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{_named(work)}, {work.licence}")
            item.setToolTip(f"{_named(work)}\n{work.licence}")
            self.list.addItem(item)

    def _lay_out(self, introduction: tuple[str, ...]) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(_INSET, 14, _INSET, 12)
        head.addWidget(self.title, 1)
        head.addWidget(self.back)
        listed, read = QWidget(), QWidget()
        column = QVBoxLayout(listed)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        about = QVBoxLayout()
        about.setContentsMargins(_INSET, 12, _INSET, 12)
        about.setSpacing(6)
        for paragraph in introduction[:3]:  # the last one is for packagers
            about.addWidget(Label(paragraph, "card", "text2", wrap=True))
        column.addLayout(about)
        column.addWidget(Divider())
        column.addWidget(self.list, 1)
        page = QVBoxLayout(read)
        page.setContentsMargins(_INSET, 12, _INSET, 12)
        page.addWidget(self.text)
        self._pages.addWidget(listed)
        self._pages.addWidget(read)
        self._pages.setMinimumHeight(_HEIGHT)
        self.layout_.addLayout(head)
        self.layout_.addWidget(Divider())
        self.layout_.addWidget(self._pages, 1)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.done))

    def _open(self, item: QListWidgetItem) -> None:
        work: Work = item.data(WORK)
        facts = [tr("License: {name}", name=work.licence)] if work.licence else []
        facts += [f"{column}: {value}" for column, value in work.facts]
        self.title.setText(_named(work))
        self.text.setAccessibleName(_named(work))
        self.text.show_code("\n\n".join(("\n".join(facts), *work.texts)))
        self.back.show()
        self._pages.setCurrentIndex(1)
        self.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def _return(self) -> None:
        self.title.setText(tr("Third-party notices"))
        self.back.hide()
        self._pages.setCurrentIndex(0)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)


def _named(work: Work) -> str:
    return f"{work.name} {work.version}".strip()
