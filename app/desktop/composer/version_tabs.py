"""Tabs of a post's versions: the shared one, and one for each account."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAccessible, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QStyle, QWidget

from app.desktop.theme import theme
from app.desktop.widgets import stop_at_checked
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import TabInterface, spoken_as, spoken_by
from app.desktop.words import platform_name
from app.language import number, tr
from app.workspace.accounts.account import Account
from app.workspace.editing.draft import SHARED

_HEIGHT, _ICON, _DOT, _GAP, _PADDING, _APART = 34, 13, 6, 6, 7, 2
_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether a version differs from the shared one, and by how much its text is too long."""

    differs: bool = False
    over: int = 0


@spoken_as(QAccessible.Role.PageTabList)
class VersionTabs(QWidget):
    """Shown for two accounts or more. Left and right switch tabs; names are hidden in little space."""

    chosen = Signal(str)
    """The version that the person wants to see: ``SHARED`` or the key of an account."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tabs: dict[str, _Tab] = {}
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_APART)
        self._row.addStretch(1)
        self.setAccessibleName(tr("Versions"))
        self.hide()
        theme.notifier().changed.connect(self._make_room)

    def tab(self, version: str) -> QAbstractButton:
        """Return the tab of a version; raises KeyError if there is none."""
        return self._tabs[version]

    def show_versions(
        self, accounts: Sequence[Account], current: str, standings: Mapping[str, Standing]
    ) -> None:
        """Show tabs for all and for each account, marked if they differ or are too long."""
        if {key: tab.account for key, tab in self._tabs.items() if key} != {one.key: one for one in accounts}:
            self._fill(accounts, _labels(accounts))
        self.setVisible(len(accounts) > 1)
        for key, tab in self._tabs.items():
            tab.setChecked(key == current)
            tab.set_standing(standings.get(key, Standing()))
        stop_at_checked(self._tabs.values())
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(60, theme.current().grown(_HEIGHT))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Switch tabs with the arrow keys."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            step = _STEPS.get(Qt.Key(event.key()), 0)
            if step and isinstance(watched, _Tab):
                step = -step if self.layoutDirection() is Qt.LayoutDirection.RightToLeft else step
                order = list(self._tabs.values())
                order[(order.index(watched) + step) % len(order)].take()
                return True
        return super().eventFilter(watched, event)

    def _fill(self, accounts: Sequence[Account], labels: dict[str, str]) -> None:
        for tab in self._tabs.values():
            self._row.removeWidget(tab)
            tab.hide()
            tab.deleteLater()
        shown: list[tuple[str, Account | None]] = [(SHARED, None), *((one.key, one) for one in accounts)]
        self._tabs = {key: _Tab(labels.get(key, tr("All")), account) for key, account in shown}
        for place, (key, tab) in enumerate(self._tabs.items()):
            tab.clicked.connect(lambda _checked=False, key=key: self.chosen.emit(key))
            tab.installEventFilter(self)
            self._row.insertWidget(place, tab)
        changed = theme.notifier().changed
        changed.disconnect(self._make_room)
        changed.connect(self._make_room)  # after the tabs, which have their new font then

    def _make_room(self) -> None:
        """Hide names until all tabs fit, those of unselected tabs first."""
        tabs = list(self._tabs.values())
        for tab in tabs:
            tab.set_short(is_short=False)
        for tab in sorted(tabs, key=lambda one: one.isChecked()):
            wanted = sum(one.sizeHint().width() + _APART for one in tabs)
            if wanted <= self.width():
                return
            tab.set_short(is_short=tab.account is not None)


@spoken_by(TabInterface)
class _Tab(EnterPresses):
    """A mark, a name, a dot for a separate version, and the excess length."""

    shows_name = True

    def __init__(self, label: str, account: Account | None) -> None:
        super().__init__()
        self.account = account
        self._standing = Standing()
        self._short = False
        self.setText(label)
        self.setCheckable(True)
        self.setAutoExclusive(True)  # by which a screen reader knows a choice of one
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._name()
        theme.follow(self._restyle)

    def take(self) -> None:
        """Select this tab by keyboard."""
        self.setFocus(Qt.FocusReason.TabFocusReason)
        self.click()

    def set_short(self, *, is_short: bool) -> None:
        """Hide the name."""
        self._short = is_short
        self.updateGeometry()
        self.update()

    def set_standing(self, standing: Standing) -> None:
        """Mark the version's state."""
        self._standing = standing
        self._name()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = sum(width for _, width in self._parts()) + 2 * _PADDING
        return QSize(round(width), theme.current().grown(_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = "text" if self.isChecked() or self.underMouse() else "text2"
        x = float(_PADDING)
        for kind, width in self._parts():
            self._paint_part(painter, kind, self._place(x, width), color)
            x += width
        if self.isChecked():
            foot = QRectF(2, self.height() - 2, self.width() - 4, 2)
            rounded(painter, foot, 1, fill="accent")
        if shows_focus(self):
            rounded(painter, QRectF(self.rect()).adjusted(0, 2, 0, -4), 5, line="accent", width=2)

    def _parts(self) -> list[tuple[str, float]]:
        """Return the parts from left to right, with their widths."""
        metrics, small = QFontMetrics(self.font()), QFontMetrics(_small())
        parts: list[tuple[str, float]] = []
        if self.account is not None:
            parts.append(("icon", theme.current().grown(_ICON) + (0 if self._short else _GAP)))
        if not self._short:
            parts.append(("name", metrics.horizontalAdvance(self.text())))
        if self._standing.differs:
            parts.append(("dot", _GAP + _DOT))
        if self._standing.over > 0:
            parts.append(("over", _GAP + small.horizontalAdvance(self._over()) + 10))
        return parts

    def _paint_part(self, painter: QPainter, kind: str, area: QRectF, color: str) -> None:
        middle = area.center().y()
        if kind == "icon" and self.account is not None:
            edge = theme.current().grown(_ICON)
            spot = QRectF(area.left(), middle - edge / 2, edge, edge)
            draw_icon(painter, spot, f"brand:{self.account.platform.value}", color)
        elif kind == "name":
            painter.setFont(self.font())
            painter.setPen(theme.current().color(color))
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextHideMnemonic | Qt.TextFlag.TextDontClip
            painter.drawText(area, int(flags), self.text())
        elif kind == "dot":
            spot = QRectF(area.right() - _DOT, middle - _DOT / 2, _DOT, _DOT)
            rounded(painter, spot, _DOT / 2, fill="accent")
        elif kind == "over":
            pill = area.adjusted(_GAP, 8, 0, -8)
            rounded(painter, pill, pill.height() / 2, fill="bad_soft")
            painter.setFont(_small())
            painter.setPen(theme.current().color("bad"))
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, self._over())

    def _over(self) -> str:
        return f"−{number(self._standing.over)}"  # noqa: RUF001  a true minus is as wide as the plus

    def _place(self, x: float, width: float) -> QRectF:
        area = QRect(round(x), 0, round(width), self.height())
        return QRectF(QStyle.visualRect(self.layoutDirection(), self.rect(), area))

    def _name(self) -> None:
        parts = [tr("Version for all accounts")]
        if self.account is not None:
            platform = platform_name(self.account.platform.value)
            parts = [tr("Version for {account} on {platform}", account=self.account.name, platform=platform)]
        parts += [tr("differs from the shared version")] if self._standing.differs else []
        parts += [tr("{n} too long", n=self._standing.over)] if self._standing.over > 0 else []
        self.setAccessibleName(", ".join(parts))

    def _restyle(self) -> None:
        theme.set_font(self, theme.current().font("card", QFont.Weight.Medium))
        self.updateGeometry()
        self.update()


def _small() -> QFont:
    return theme.current().font("small", QFont.Weight.DemiBold)


def _labels(accounts: Sequence[Account]) -> dict[str, str]:
    """Return platform names, or handles if several accounts are on one platform."""
    platforms = [account.platform for account in accounts]
    return {
        account.key: platform_name(account.platform.value)
        if platforms.count(account.platform) == 1
        else account.handle or account.name
        for account in accounts
    }
