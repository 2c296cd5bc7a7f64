"""Whether the focus of a list is shown: after a key, not after a click."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractItemView

_BY_KEYS = frozenset(
    {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason}
)


class KeyboardFocus(QObject):
    """Follows a view. A click shows its row by the selection; a ring on top would say nothing more."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self.is_shown = False
        view.installEventFilter(self)
        view.viewport().installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Note whether the user uses the keyboard or the mouse."""
        kind = event.type()
        if kind == QEvent.Type.KeyPress:
            self._show(True)
        elif kind == QEvent.Type.MouseButtonPress:
            self._show(False)
        elif isinstance(event, QFocusEvent) and event.gotFocus() and event.reason() in _BY_KEYS:
            self._show(True)
        return False

    def _show(self, is_shown: bool) -> None:
        if is_shown != self.is_shown:
            self.is_shown = is_shown
            self._view.viewport().update()
