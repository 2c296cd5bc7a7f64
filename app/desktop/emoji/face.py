"""A square button that shows an emoji, or an icon."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.desktop.theme import theme
from app.desktop.widgets.enter import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus

_EDGE, _EMOJI, _ICON = 32, 18, 16


class FaceButton(EnterPresses):
    """``text`` is the emoji; with ``icon`` that is shown. The name is the tooltip and what is read out."""

    def __init__(self, text: str, name: str, *, icon: str = "", checkable: bool = False) -> None:
        super().__init__()
        self._icon = icon
        self.setText(text)
        self.set_name(name)
        self.setCheckable(checkable)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)

    def set_name(self, name: str) -> None:
        """Change what the tooltip and a screen reader say."""
        self.setToolTip(name)
        self.setAccessibleName(name)

    def sizeHint(self) -> QSize:
        edge = round(_EDGE * theme.current().scale)
        return QSize(edge, edge)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look, area = QPainter(self), theme.current(), QRectF(self.rect())
        if self.isChecked() or self.isDown():
            rounded(painter, area, look.metrics.radius, fill="accent_soft")
        elif self.underMouse():
            rounded(painter, area, look.metrics.radius, fill="sunken")
        if shows_focus(self):
            rounded(painter, area, look.metrics.radius, line="accent", width=2)
        if self._icon:
            edge = (area.width() - _ICON) / 2
            color = "text" if self.isChecked() else "text2"
            draw_icon(painter, area.adjusted(edge, edge, -edge, -edge), self._icon, color)
            return
        font = look.font("emoji")
        font.setPixelSize(round(_EMOJI * look.scale))
        painter.setFont(font)
        painter.setPen(look.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self.text())
