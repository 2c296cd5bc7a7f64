"""The offline user guide: Markdown pages with pictures, from a folder that is part of the app."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from PySide6.QtCore import Qt, QTimer, QUrl
from PySide6.QtGui import (
    QFont,
    QImage,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextBrowser, QVBoxLayout, QWidget

from app import resources
from app.desktop.theme import fonts, theme
from app.desktop.widgets import Button, Divider, Label, Sheet, quiet
from app.desktop.widgets.sheet import sheet_foot
from app.language import tr

_FIRST: Final = "index.md"
_WIDTH: Final = 900
_HEIGHT: Final = 560
_MARGIN: Final = 18
_BLOCK: Final = 10
"""Space below a paragraph, in pixels."""

_HEADINGS: Final[Mapping[int, fonts.Role]] = MappingProxyType({1: "title", 2: "section", 3: "heading"})
"""The fonts of headings, by level."""


class GuideView(QTextBrowser):
    """Shows one page; links only lead to other pages of the guide."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = resources.guide()
        self.setAccessibleName(tr("User guide"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.document().setDocumentMargin(_MARGIN)
        self.document().setUseDesignMetrics(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._shown_width = 0
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._again)
        self.sourceChanged.connect(self._typeset)  # also when going back, which doesn't set the source
        theme.follow(self._restyle)

    def doSetSource(  # noqa: N802  Qt's
        self,
        name: QUrl | str,
        _type: QTextDocument.ResourceType = QTextDocument.ResourceType.UnknownResource,
    ) -> None:
        """Show a page of the guide; anything else leaves the view as it is."""
        name = QUrl(name)
        file = self._page(name.fileName()) if not name.scheme() else None
        if file is not None:
            super().doSetSource(QUrl(file.name), QTextDocument.ResourceType.MarkdownResource)
            self._typeset()

    def loadResource(self, _kind: int, name: QUrl | str) -> Any:  # noqa: N802  Qt's
        """Read a page or a picture of the guide's folder, and nothing outside it."""
        file = (self._folder / QUrl(name).path()).resolve()
        if not file.is_relative_to(self._folder.resolve()) or not file.is_file():
            return None
        if file.suffix == ".md":
            return file.read_text("utf-8")
        image = QImage(str(file))
        room = self.viewport().width() - 2 * _MARGIN
        if 0 < room < image.width():
            image = image.scaledToWidth(room, Qt.TransformationMode.SmoothTransformation)
        return image

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the pictures to the new width, once the layout is done.

        A scroll bar that appears while the document is laid out resizes the view in the middle of it. Loading
        the page again right there would free the blocks that Qt is still going through.
        """
        super().resizeEvent(event)
        if self.viewport().width() != self._shown_width:
            self._shown_width = self.viewport().width()
            self._fitting.start()

    def _page(self, name: str) -> Path | None:
        file = self._folder / (name or _FIRST)
        return file if file.suffix == ".md" and file.parent == self._folder and file.is_file() else None

    def _again(self) -> None:
        if not self.source().isEmpty():
            place = self.verticalScrollBar().value()
            self.document().clear()
            self.reload()
            self._typeset()
            self.verticalScrollBar().setValue(place)

    def _typeset(self, _source: QUrl | None = None) -> None:
        """Add space between paragraphs, and use the bundled weights, because Qt asks for bolder ones."""
        document = self.document()
        if document.blockCount() > 1 and not document.begin().text():  # left over from the previous page
            first = self.textCursor()
            first.setPosition(0)
            first.deleteChar()
        block = document.begin()
        while block.isValid():
            form = block.blockFormat()
            form.setBottomMargin(_BLOCK)
            cursor = self.textCursor()
            cursor.setPosition(block.position())
            cursor.setBlockFormat(form)
            self._set_weights(block)
            block = block.next()

    def _set_weights(self, block: QTextBlock) -> None:
        level = block.blockFormat().headingLevel()
        parts, part = [], block.begin()
        while not part.atEnd():  # all before the first change, which makes others of them
            parts.append(part.fragment())
            part += 1
        for fragment in parts:
            look = fragment.charFormat()
            if not level and look.fontWeight() <= QFont.Weight.DemiBold:
                continue
            look.setFont(theme.current().font(_HEADINGS.get(level, "strong")))
            look.clearProperty(QTextFormat.Property.FontSizeAdjustment)
            cursor = self.textCursor()
            cursor.setPosition(fragment.position())
            cursor.setPosition(fragment.position() + fragment.length(), QTextCursor.MoveMode.KeepAnchor)
            cursor.setCharFormat(look)

    def _restyle(self) -> None:
        look = theme.current()
        self.document().setDefaultFont(look.font("text"))
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Link, look.color("accent"))
        self.setPalette(palette)
        self._again()


class GuideSheet(Sheet):
    """A sheet with the guide, and buttons to go back and to the contents."""

    def __init__(self, host: QWidget) -> None:
        super().__init__(host, tr("User guide"), _WIDTH)
        self.view, self.done = GuideView(), Button(tr("Close"), key_hint="Esc")
        self.back, self.contents = quiet(tr("Back"), "chevron-left"), quiet(tr("Contents"), "list")
        self.view.setMinimumHeight(_HEIGHT)
        head = QHBoxLayout()
        head.setContentsMargins(20, 12, 20, 10)
        head.addWidget(Label(tr("User guide"), "section"), 1)
        head.addWidget(self.back)
        head.addWidget(self.contents)
        body = QVBoxLayout()
        body.setSpacing(0)
        body.addLayout(head)
        body.addWidget(Divider())
        body.addWidget(self.view, 1)
        self.layout_.addLayout(body)
        self.layout_.addWidget(Divider())
        self.layout_.addLayout(sheet_foot(self.done))
        self.done.clicked.connect(self.dismiss)
        self.back.clicked.connect(self.view.backward)
        self.contents.clicked.connect(lambda: self.view.setSource(QUrl(_FIRST)))
        self.view.backwardAvailable.connect(self.back.setEnabled)
        self.back.setEnabled(False)

    def show_guide(self, page: str = _FIRST) -> None:
        """Show the sheet with a page."""
        self.view.setSource(QUrl(page))
        self.present(self.view)
