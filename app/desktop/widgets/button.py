"""Push buttons: one accent-filled button for the main action, quieter ones for the rest.

The style sheet draws the frame (property `kind`). Label, icon and key hint are painted here, so that they
follow the theme's colours immediately and are aligned to whole pixels.
"""

from typing import Literal

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QHelpEvent, QIcon, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from app.desktop import motion
from app.desktop.commands import key_caps, spoken
from app.desktop.theme import theme
from app.desktop.theme.stylesheet import BUTTON_TEXT
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import rename
from app.language import tr

_ENTERS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_PLAIN = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


def show_name(button: QAbstractButton, event: QEvent) -> bool:
    """Show a button's name as its tooltip when an event asks for one; return whether it did.

    A tooltip that is set would also be the description for screen readers, which would say the name twice.
    """
    if not isinstance(event, QHelpEvent) or event.type() != QEvent.Type.ToolTip or button.toolTip():
        return False
    keys = button.keys if isinstance(button, IconButton) else ""
    name = button.accessibleName()
    QToolTip.showText(event.globalPos(), f"{name} ({keys})" if keys else name, button)
    return True


def press_by_enter(button: QAbstractButton, event: QKeyEvent) -> bool:
    """Press a button on Enter, once however long the key is held; return False for any other key."""
    if event.key() not in _ENTERS or event.modifiers() not in _PLAIN:
        return False
    if not event.isAutoRepeat():
        button.click()
    return True


class EnterPresses(QAbstractButton):
    """The base of custom-painted buttons. In their labels, "&" is an ordinary character."""

    _has_own_name = False
    shows_name = False
    """Whether the tooltip is the name: where no text shows it."""

    def setText(self, text: str) -> None:  # noqa: N802  Qt's
        """Set the label; it's also the accessible name, unless another one was set."""
        if not self._has_own_name:
            rename(self, text)
        super().setText(text)

    def setAccessibleName(self, name: str) -> None:  # noqa: N802  Qt's
        """Set the name for screen readers, independently of the label."""
        self._has_own_name = True
        rename(self, name)

    def event(self, event: QEvent) -> bool:
        return (self.shows_name and show_name(self, event)) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter act like Space."""
        with motion.still():
            if not press_by_enter(self, event):
                super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Press the button when Space is released."""
        with motion.still():
            super().keyReleaseEvent(event)


Kind = Literal["primary", "secondary", "quiet", "danger"]
Size = Literal["large", "normal", "small"]

_GAP = 8
_LARGE = 40
_TARGET = 24
"""Least height of a link, in px (WCAG 2.5.8)."""
_PADDING: dict[Size, int] = {"large": 26, "normal": 13, "small": 11}


class Button(QPushButton):
    """A push button with an optional icon, and an optional key hint after its label.

    Args:
        text: the label.
        kind: "primary" (at most one in view), "secondary", "quiet" (no frame) or "danger".
        icon: name of an icon, or "".
        size: "large" (40 px high, for a screen with one thing to do), "normal" (32 px) or "small" (28 px).
        key_hint: a key that does the same, such as "Esc", shown in a small frame.
        parent: the owner.
    """

    def __init__(
        self,
        text: str = "",
        kind: Kind = "secondary",
        *,
        icon: str = "",
        size: Size = "normal",
        key_hint: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(text, parent)
        self._icon_name, self._size, self._key_hint = icon, size, key_hint
        self._icon_color = ""
        self.setProperty("kind", kind)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setAutoDefault(False)
        theme.follow(self._restyle)

    def kind(self) -> Kind:
        """Return the button's kind."""
        kind: Kind = self.property("kind")
        return kind

    def set_kind(self, kind: Kind) -> None:
        """Change the button's kind."""
        self.setProperty("kind", kind)
        self.style().unpolish(self)
        self.style().polish(self)
        self._restyle()  # Qt gave back the font of the text size at which the button was made

    def icon_name(self) -> str:
        """Return the name of the icon, or ""."""
        return self._icon_name

    def set_icon(self, name: str, color: str = "") -> None:
        """Change the icon ("" for none), in a colour role or `#RRGGBB` instead of the label's colour."""
        self._icon_name, self._icon_color = name, color
        self.updateGeometry()
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter act like Space."""
        with motion.still():
            if not press_by_enter(self, event):
                super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Press the button when Space is released."""
        with motion.still():
            super().keyReleaseEvent(event)

    def sizeHint(self) -> QSize:
        m = theme.current().metrics
        height = {"large": _LARGE, "normal": m.control, "small": m.control_small}[self._size]
        return QSize(round(self._content_width()) + 2 * self._padding(), height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()  # type: ignore[attr-defined,unused-ignore]
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        self._paint_content(painter)

    def _restyle(self) -> None:
        theme.set_font(self, self._label_font())
        self.updateGeometry()
        self.update()

    def _label_font(self) -> QFont:
        if self._size == "large":
            return theme.current().font("heading")
        role: Literal["text", "card"] = "text" if self._size == "normal" else "card"
        return theme.current().font(role, QFont.Weight.Medium)

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self._label_font())

    def _padding(self) -> int:
        return _PADDING[self._size]

    def _text_role(self) -> str:
        return BUTTON_TEXT[self.kind()] if self.isEnabled() else "text3"

    def _content_width(self) -> float:
        width = 0.0
        if self._icon_name:
            width += theme.current().metrics.icon
        if self.text():
            width += self._metrics().horizontalAdvance(self.text()) + (_GAP if width else 0)
        if self._key_hint:
            width += key_hint_width(self._key_hint) + _GAP
        return width

    def _paint_content(self, painter: QPainter) -> None:
        """Draw icon, label and key hint from left to right, mirrored in right-to-left languages."""
        x = (self.width() - self._content_width()) / 2
        if self._icon_name:
            edge = theme.current().metrics.icon
            color = self._icon_color if self._icon_color and self.isEnabled() else self._text_role()
            draw_icon(painter, self._place(x, edge), self._icon_name, color)
            x += edge + _GAP
        if self.text():
            width = self._metrics().horizontalAdvance(self.text())
            painter.setFont(self._label_font())
            painter.setPen(theme.current().color(self._text_role()))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextHideMnemonic | Qt.TextFlag.TextDontClip
            painter.drawText(self._place(x, width), int(flags), self.text())
            x += width + _GAP
        if self._key_hint:
            paint_key_hint(painter, self._place(x, key_hint_width(self._key_hint)), self._key_hint)

    def _place(self, x: float, width: float) -> QRectF:
        area = QRect(round(x), 0, round(width), self.height())
        return QRectF(QStyle.visualRect(self.layoutDirection(), self.rect(), area))


class IconButton(Button):
    """A square button that shows only an icon; its name is the tooltip and the accessible name."""

    def __init__(
        self,
        icon: str,
        name: str,
        kind: Kind = "quiet",
        *,
        size: Size = "normal",
        checkable: bool = False,
        key: str = "",
        parent: QWidget | None = None,
    ) -> None:
        """``key`` is the shortcut, such as "Ctrl+E"; tooltip and description contain it, the name doesn't."""
        super().__init__("", kind, icon=icon, size=size, parent=parent)
        self.keys = "+".join(key_caps(key)) if key else ""
        self.setAccessibleDescription(spoken(key) if key else "")
        self.setCheckable(checkable)
        self.set_name(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_name(self, name: str) -> None:
        """Change the tooltip and the accessible name."""
        if name != self.accessibleName():  # Qt tells screen readers even if it's the same
            self.setAccessibleName(name)

    def event(self, event: QEvent) -> bool:
        return show_name(self, event) or super().event(event)

    def sizeHint(self) -> QSize:
        height = super().sizeHint().height()
        return QSize(height, height)

    def _text_role(self) -> str:
        return "text" if self.isChecked() and self.isEnabled() else super()._text_role()


class LinkButton(EnterPresses):
    """A button that looks like a link."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 1, max(_TARGET, metrics.height()))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.underMouse() or shows_focus(self))
        painter.setFont(font)
        painter.setPen(theme.current().color("accent" if self.isEnabled() else "text3"))
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter.drawText(self.rect(), flags, self.text())

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("card", QFont.Weight.Medium))
        self.updateGeometry()
        self.update()


class KeyHint(QWidget):
    """The name of a key or key combination in a small frame."""

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self.setAccessibleName(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        return QSize(round(key_hint_width(self._keys)), _hint_height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        paint_key_hint(QPainter(self), QRectF(self.rect()), self._keys)

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def primary(text: str, icon: str = "", size: Size = "normal") -> Button:
    """Return the button of a view's main action."""
    return Button(text, "primary", icon=icon, size=size)


def secondary(text: str, icon: str = "", size: Size = "normal") -> Button:
    """Return a framed button."""
    return Button(text, "secondary", icon=icon, size=size)


def quiet(text: str, icon: str = "", size: Size = "normal") -> Button:
    """Return a button without a frame."""
    return Button(text, "quiet", icon=icon, size=size)


def danger(text: str, icon: str = "", size: Size = "normal") -> Button:
    """Return a button that removes or cancels something."""
    return Button(text, "danger", icon=icon, size=size)


def paint_key_hint(painter: QPainter, rect: QRectF, keys: str) -> None:
    """Draw a key hint in the middle of `rect`, at its natural width."""
    height = _hint_height()
    frame = QRectF(rect.x(), rect.center().y() - height / 2, rect.width(), height)
    rounded(painter, frame, 4, line="line")
    painter.setFont(theme.current().font("small"))
    painter.setPen(theme.current().color("text3"))
    painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, keys)


def key_hint_width(keys: str) -> float:
    """Return the width of a key hint."""
    return QFontMetrics(theme.current().font("small")).horizontalAdvance(keys) + 11.0


def _hint_height() -> int:
    return QFontMetrics(theme.current().font("small")).height() + 4


class FoldButton(Button):
    """Shows or hides a part, which is hidden at first."""

    def __init__(self, text: str, part: QWidget) -> None:
        super().__init__(text, "quiet", icon="chevron-right", size="small")
        self._part = part
        part.hide()
        self.setCheckable(True)
        self.toggled.connect(self._show)

    def _show(self, is_open: bool) -> None:
        self.set_icon("chevron-down" if is_open else "chevron-right")
        self._part.setVisible(is_open)


class More(QWidget):
    """A button that shows or hides ``body``."""

    def __init__(self) -> None:
        super().__init__()
        holder = QWidget()
        self.button = FoldButton(tr("More"), holder)
        self.body = QVBoxLayout(holder)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(6)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(holder)
