"""How fast files may be uploaded: a button that tells it, and a menu to choose."""

from functools import partial

from PySide6.QtWidgets import QWidget

from app.desktop.aio import OnProblem, TaskScope
from app.desktop.widgets import Button, Menu
from app.language import data_size, tr
from app.workspace.media.sending import SpeedLimit

_KB = 1024
_MB = 1024 * _KB
RATES = (0, 25 * _MB, 10 * _MB, 5 * _MB, 2 * _MB, _MB, 500 * _KB, 250 * _KB)
"""Bytes a second; 0 for no limit."""


def rate_words(rate: int) -> str:
    """``No limit``, ``2 MB/s``."""
    return tr("{size}/s", size=data_size(rate)) if rate else tr("No limit")


class LimitButton(Button):
    """A choice applies immediately, to all uploads together."""

    def __init__(self, limit: SpeedLimit, report: OnProblem) -> None:
        super().__init__("", "quiet", icon="gauge", size="small")
        self._limit, self._is_short = limit, False
        self._scope = TaskScope(self, report)
        self.setToolTip(tr("Maximum total upload speed"))
        self.clicked.connect(self.choose)
        stop = limit.listen(lambda _rate: self._show())
        self.destroyed.connect(lambda _object=None: stop())
        self._show()

    def shorten(self, *, short: bool) -> None:
        """Be an icon alone while there is no limit, or say what is done here."""
        self._is_short = short
        self._show()

    def choose(self) -> None:
        """Let the person choose."""
        menu = self.menu_of(self)
        menu.popup(self.mapToGlobal(self.rect().topLeft()) - menu.rect().topLeft())

    def menu_of(self, parent: QWidget) -> Menu:
        """The menu, with a mark at what holds now."""
        menu = Menu(parent)
        for rate in RATES:
            icon = "check" if rate == self._limit.rate else ""
            menu.add(rate_words(rate), partial(self._set, rate), icon=icon)
        return menu

    def _set(self, rate: int) -> None:
        self._scope.start(self._limit.set(rate))

    def _show(self) -> None:
        words = rate_words(self._limit.rate)
        without = "" if self._is_short else tr("Limit speed")
        self.setText(words if self._limit.rate else without)
        self.updateGeometry()
        self.setAccessibleName(tr("Upload speed: {speed}", speed=words))
