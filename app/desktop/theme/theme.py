"""The current theme: colours, fonts and measures, and the signal for its changes.

`apply` is called at startup and again when the user chooses another theme or text size. Custom painting
either calls `current()` each time, or caches and clears its cache when `notifier().changed` is emitted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, TypeVar

from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QAbstractItemView, QApplication, QComboBox, QWidget

from app.desktop.theme import fonts
from app.desktop.theme.stylesheet import PlainTextStyle, palette_from_tokens, stylesheet, tokens_from_palette
from app.desktop.theme.tokens import DARK, LIGHT, Metrics, Tokens, high_contrast

Mode = Literal["light", "dark", "system", "contrast"]

TABLES = {"light": LIGHT, "dark": DARK}
_ICON = 16
_STORED_FONT = "_q_styleSheetWidgetFont"
"""Qt's property with the font that a widget gets back when it's styled again."""

_SCHEMES = {
    "light": Qt.ColorScheme.Light,
    "dark": Qt.ColorScheme.Dark,
    "system": Qt.ColorScheme.Unknown,
    "contrast": Qt.ColorScheme.Unknown,
}


@dataclass(frozen=True, slots=True)
class Theme:
    """A theme: a colour table, a text scale (1.0 is 100 %) and measures."""

    tokens: Tokens = LIGHT
    scale: float = 1.0
    metrics: Metrics = field(default_factory=Metrics)

    def color(self, role: str) -> QColor:
        """Return a colour by its role, or `#RRGGBB` as it is; raises KeyError for an unknown role."""
        return QColor(role if role.startswith("#") else self.tokens.role(role))

    def grown(self, length: float) -> int:
        """Return a length scaled with the text size, at least its value at 100 %."""
        return round(length * max(1.0, self.scale))

    def font(self, role: fonts.Role, weight: QFont.Weight | None = None) -> QFont:
        """Return the font of a role at this theme's text scale; raises KeyError for an unknown role."""
        return fonts.font(role, self.scale, weight)


class Notifier(QObject):
    """Emits a signal after the theme has changed."""

    changed = Signal()


class _Holder(QObject):
    """Keeps the current theme and the settings it was made from, to follow the system's changes."""

    def __init__(self) -> None:
        super().__init__()
        self.theme = Theme()
        self.mode: Mode = "system"
        self.installed = False
        self.notifier = Notifier()

    def install(self, app: QApplication, theme: Theme) -> None:
        """Make a theme current, unless it already is."""
        if self.installed and theme == self.theme:
            return
        if not self.installed:
            self._prepare(app)
        # A widget that was never shown would go back to the font that it was made with when it is.
        for widget in app.allWidgets():
            widget.ensurePolished()
        self.theme, self.installed = theme, True
        app.setFont(theme.font("text"))
        app.setPalette(palette_from_tokens(theme.tokens))
        sheet = stylesheet(theme.tokens, theme.metrics)
        if sheet != app.styleSheet():  # every widget is polished again, several times
            app.setStyleSheet(sheet)
        else:
            _inherit_font(app)
        self.notifier.changed.emit()

    def _prepare(self, app: QApplication) -> None:
        fonts.load()
        app.setStyle(PlainTextStyle())
        app.styleHints().colorSchemeChanged.connect(self._follow)
        app.styleHints().accessibility().contrastPreferenceChanged.connect(self._follow)

    def _follow(self) -> None:
        app = QApplication.instance()
        if self.mode not in TABLES and isinstance(app, QApplication):
            self.install(app, replace(self.theme, tokens=_tokens(app, self.mode)))


def _inherit_font(app: QApplication) -> None:
    """Set the app's font on every widget without its own, because Qt doesn't with a style sheet."""
    for widget in app.allWidgets():
        if not widget.testAttribute(Qt.WidgetAttribute.WA_SetFont):
            widget.setFont(QFont())


@cache
def _holder() -> _Holder:
    return _Holder()


def current() -> Theme:
    """Return the current theme; the light one before `apply` was called."""
    return _holder().theme


def notifier() -> Notifier:
    """Return the object whose `changed` signal is emitted after theme or text size changed."""
    return _holder().notifier


def follow(restyle: Callable[[], None]) -> None:
    """Call `restyle` now and after every change of theme or text size.

    Give a bound method of a QObject: Qt holds it weakly and forgets it together with the object.
    """
    notifier().changed.connect(restyle)
    restyle()


def set_font(widget: QWidget, font: QFont) -> None:
    """Set a widget's font, also for when it gets another parent.

    WORKAROUND: Qt stores the font that a widget has when it's styled first, and sets that one again with
    each new parent. `QWidget.setFont` only stores a later one if the widget has its own style sheet.
    """
    widget.setFont(font)
    widget.setProperty(_STORED_FONT, font)


@contextmanager
def on_paper() -> Iterator[None]:
    """Paint light and at 100 % during the block, whatever the screen shows."""
    holder = _holder()
    before, holder.theme = holder.theme, Theme()
    try:
        yield
    finally:
        holder.theme = before


def apply(app: QApplication, mode: Mode = "system", scale: float = 1.0) -> None:
    """Apply a theme to the whole app.

    "system" follows the system's light, dark and high-contrast settings; "contrast" follows light or dark.

    Args:
        app: the running application.
        mode: "light", "dark", "system" or "contrast".
        scale: text size, 1.0 is 100 %.
    """
    holder = _holder()
    holder.mode = mode
    app.styleHints().setColorScheme(_SCHEMES[mode])
    holder.install(app, Theme(_tokens(app, mode), scale, Metrics.at(scale)))


def _tokens(app: QApplication, mode: Mode) -> Tokens:
    if mode in TABLES:
        return TABLES[mode]
    hints = app.styleHints()
    dark = hints.colorScheme() == Qt.ColorScheme.Dark
    if mode == "contrast":
        return high_contrast(DARK if dark else LIGHT)
    if hints.accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast:
        return tokens_from_palette(_system_palette(app), dark=dark)
    return DARK if dark else LIGHT


def _system_palette(app: QApplication) -> QPalette:
    """Return the system's palette, which is only available while ours isn't set."""
    ours = app.palette()
    app.setPalette(QPalette())
    system = app.palette()
    app.setPalette(ours)
    return system


Widget = TypeVar("Widget", bound=QWidget)

WIDEST_SIDE = 660
"""Maximum width of a side panel, so that the calendar next to it stays usable."""


def grow(widget: Widget, setter: Callable[[Widget, int], None], length: int, most: int | None = None) -> None:
    """Make a widget's length follow the text size: `grow(form, QWidget.setFixedWidth, 340)`.

    Args:
        widget: the length follows until it's deleted.
        setter: sets the length, in logical pixels.
        length: at 100 %; it never gets smaller.
        most: its maximum, since windows don't grow.
    """
    _Growing(widget, setter, length, most)


def grow_icons(view: QAbstractItemView | QComboBox) -> None:
    """Make the icons of a view's entries follow the text size; they're 16 px wide at 100 %."""
    _Growing(view, _set_icons, _ICON, None)


def _set_icons(view: QAbstractItemView | QComboBox, edge: int) -> None:
    view.setIconSize(QSize(edge, edge))


class _Growing(QObject):
    """Deleted with its widget, which ends the connection to the theme."""

    def __init__(
        self, widget: Widget, setter: Callable[[Widget, int], None], length: int, most: int | None
    ) -> None:
        super().__init__(widget)
        self._setter, self._length, self._most = setter, length, most
        follow(self._restyle)

    def _restyle(self) -> None:
        grown = current().grown(self._length)
        widget: Any = self.parent()  # not stored: a list that Qt made for a box may get another wrapper
        self._setter(widget, grown if self._most is None else min(grown, self._most))
