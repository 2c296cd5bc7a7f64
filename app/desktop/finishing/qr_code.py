"""The text of a post as a QR code, for pasting it on a phone."""

import asyncio
import math
from typing import Final

import segno
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QAccessible, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from app.desktop.widgets import Label, quiet
from app.desktop.widgets.screen_reader import spoken_as
from app.language import tr

LONGEST: Final = 2_953
"""Maximum length of the text, in bytes of UTF-8: the largest code with the least error correction."""
_QUIET_ZONE: Final = 4
"""White modules on each side, as the standard demands."""
_SMALLEST: Final = 200
_LARGEST: Final = 388
"""Edges of the code, in px. They don't follow the text size: phones read it as well."""
_MODULE: Final = 3
"""Preferred size of a module, in px; large codes get smaller ones."""
_WHITE: Final = 255
_BLACK: Final = 0


class QrCode(QWidget):
    """The code, and a button that shows and hides it; there's none without a text, or with too much of it.

    The button belongs into a layout of the owner.
    """

    def __init__(self) -> None:
        super().__init__()
        self._text, self._is_open = "", False
        self._is_to_be_revealed = False
        self.button = quiet("", "qr-code", size="small")
        self.code = CodePicture()
        self.note = Label(tr("Scan it with your phone to copy the text there."), "card", "text2", wrap=True)
        self.note.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.code, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addWidget(self.note)
        self._show_state()

    def set_text(self, text: str) -> None:
        """Offer the code of another text. An open code stays open; ``draw`` draws it."""
        self._text = text
        self.code.show_image(None)
        self._show_state()

    def toggle(self) -> None:
        """Show the code, or hide it again; ``draw`` draws it."""
        self._is_open = self._is_to_be_revealed = not self._is_open
        self._show_state()

    async def draw(self) -> None:
        """Draw the code if it's open. A large one takes a quarter of a second to make."""
        text = self._text
        if not self._is_open or not fits(text):
            return
        image = await asyncio.to_thread(encoded, text)
        if text == self._text:
            self.code.show_image(image)
            self._show_state()

    def reveal(self) -> None:
        """Scroll to a code that was just opened and drawn: a phone needs all of it."""
        if self._is_to_be_revealed and not self.isHidden():
            self._is_to_be_revealed = False
            QTimer.singleShot(0, self, self._scroll_to_code)  # when everything is laid out

    def _scroll_to_code(self) -> None:
        around = self.parentWidget()
        while around is not None and not isinstance(around, QScrollArea):
            around = around.parentWidget()
        if around is not None:
            around.ensureWidgetVisible(self.code)

    def _show_state(self) -> None:
        self.button.setVisible(fits(self._text))
        self.button.setText(tr("Hide QR code") if self._is_open else tr("Show QR code"))
        self.button.updateGeometry()
        self.setVisible(self._is_open and self.code.has_image)


def fits(text: str) -> bool:
    """Whether there's a text and a QR code can hold it."""
    return 0 < len(text.encode()) <= LONGEST


def encoded(text: str) -> QImage:
    """Return the QR code of a text that ``fits``, one pixel per module, with its quiet zone."""
    code = segno.make_qr(text, error="l", encoding="utf-8")  # phones expect UTF-8
    rows = list(code.matrix_iter(border=_QUIET_ZONE))
    shades = bytes(_BLACK if is_dark else _WHITE for row in rows for is_dark in row)
    return QImage(shades, len(rows), len(rows), len(rows), QImage.Format.Format_Grayscale8).copy()


@spoken_as(QAccessible.Role.Graphic)
class CodePicture(QWidget):
    """Paints a code black on white in every theme: few phones read a light code on a dark ground."""

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self.setAccessibleName(tr("QR code with the text of the post"))
        self._resize()

    @property
    def has_image(self) -> bool:
        """Whether there's a code to see."""
        return self._image is not None

    def show_image(self, image: QImage | None) -> None:
        """Show another code; None for none."""
        self._image = image
        self._resize()
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint each module with the same whole number of the screen's pixels, so all edges are sharp."""
        if self._image is None:
            return
        painter = QPainter(self)
        ratio, modules = self.devicePixelRatioF(), self._image.width()
        module = max(1, int(self.width() * ratio) // modules)
        area = QRect(0, 0, module * modules, module * modules)
        start = int((self.width() * ratio - area.width()) / 2)
        painter.scale(1 / ratio, 1 / ratio)
        painter.drawImage(area.translated(QPoint(start, start)), self._image)

    def _resize(self) -> None:
        modules = self._image.width() if self._image else 1
        edge = modules * min(max(_MODULE, math.ceil(_SMALLEST / modules)), _LARGEST // modules)
        self.setFixedSize(edge, edge)
