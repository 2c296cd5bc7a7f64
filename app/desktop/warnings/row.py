"""An entry of the list: the problem, its posts and a main button; other fixes are behind "..."."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QEnterEvent, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.theme.icons import platform_icon
from app.desktop.theme.theme import grow
from app.desktop.warnings.fixes import Fix, Way
from app.desktop.warnings.wording import Concern
from app.desktop.widgets import Button, FlowLayout, IconButton, Label, Menu, Panel, Reflow, TailLabel, line_of
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, insets, mirrored, rounded, shows_focus
from app.language import tr
from app.workspace.posts.planned import PlannedPost
from app.workspace.warnings.warning import WarningKind

_MOST: Final = 6
"""Posts shown of an entry."""
_TITLE: Final = 110
"""Width that a title has next to its buttons, in px at 100 %; with less, they're below it."""
_SIGN: Final = 28
_ICON: Final = 15
_PADDING, _GAP, _BAR, _GLYPH = 8, 6, 3, 12
_ICONS: Final = {
    WarningKind.NO_ACCOUNT: "unplug",
    WarningKind.ACCESS_ENDED: "unplug",
    WarningKind.ACCESS_ENDS: "unplug",
    WarningKind.NO_FILE: "image-plus",
    WarningKind.NO_BOARD: "layout-grid",
    WarningKind.NO_AUDIENCE: "eye",
    WarningKind.RULE: "pencil",
    WarningKind.DAY_FULL: "calendar-clock",
    WarningKind.TOO_CLOSE: "clock",
    WarningKind.TOO_LATE: "clock",
    WarningKind.SAME_TEXT: "copy",
    WarningKind.USUALLY_OFF: "moon",
}


class PostChip(EnterPresses):
    """A post as a small card: account colour, platform, time."""

    shows_name = True

    pointed = Signal(bool)
    """Whether the pointer or the focus is on it."""

    def __init__(self, post: PlannedPost, when: str, color: str, name: str) -> None:
        super().__init__()
        self._glyph, self._color = platform_icon(post.platform.value), color
        self.setText(when)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self._restyle)

    def sizeHint(self) -> QSize:
        look = theme.current()
        words = QFontMetrics(look.font("clock")).horizontalAdvance(self.text())
        return QSize(_BAR + 2 * _PADDING + look.grown(_GLYPH) + _GAP + words, look.metrics.chip)

    def event(self, event: QEvent) -> bool:
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut, QEvent.Type.Leave}:
            self.pointed.emit(event.type() is QEvent.Type.FocusIn)
        return super().event(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.pointed.emit(True)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, look, area = QPainter(self), theme.current(), QRectF(self.rect())
        ring = shows_focus(self)
        fill = "sunken" if self.underMouse() or self.isDown() else "surface"
        line, width = ("accent", 2) if ring else ("line_strong", 1)
        rounded(painter, area, look.metrics.radius_card, fill=fill, line=line, width=width)
        bar = mirrored(self, QRect(1, 3, _BAR, self.height() - 6))
        painter.fillRect(bar, look.color(self._color))
        edge = look.grown(_GLYPH)
        spot = mirrored(self, QRect(_BAR + _PADDING, 0, edge, self.height()))
        draw_icon(painter, QRectF(spot), self._glyph, self._color)
        painter.setFont(look.font("clock"))
        painter.setPen(look.color("text"))
        left = _BAR + _PADDING + edge + _GAP
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading
        painter.drawText(
            mirrored(self, QRect(left, 0, self.width() - left, self.height())), flags, self.text()
        )

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


class _Sign(QWidget):
    """An icon on a tinted background."""

    def __init__(self, icon: str, tone: str) -> None:
        super().__init__()
        self._icon_name, self._tone = icon, tone
        theme.follow(self._restyle)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, area = QPainter(self), QRectF(self.rect())
        rounded(painter, area, theme.current().metrics.radius, fill=f"{self._tone}_soft")
        edge = theme.current().grown(_ICON)
        place = QRectF(0, 0, edge, edge)
        place.moveCenter(area.center())
        draw_icon(painter, place, self._icon_name, self._tone)

    def _restyle(self) -> None:
        edge = theme.current().grown(_SIGN)
        self.setFixedSize(edge, edge)


class ConcernRow(Panel):
    """An entry with its main button.

    Args:
        concern: The problem.
        chips: Its posts in chronological order.
        fixes: The most effective first.
        is_first: Whether its button is the panel's primary one.
    """

    left = Signal()
    """Pointer or focus left the entry."""
    pointed = Signal()
    """Pointer or focus came to the entry."""

    def __init__(
        self, concern: Concern, chips: Sequence[PostChip], fixes: Sequence[Fix], *, is_first: bool
    ) -> None:
        super().__init__()
        self.concern, self.fixes = concern, fixes
        self.setAccessibleName(f"{concern.title}. {concern.text}".removesuffix(" "))
        self._verb = Button("", "primary" if is_first else "secondary", size="small")
        self._more = IconButton("ellipsis", tr("More for {title}", title=concern.title), size="small")
        if fixes:
            self._verb.setText(fixes[0].words)
            self._verb.setAccessibleName(f"{fixes[0].words}: {concern.title}")
            self._verb.setAccessibleDescription(concern.text)
            self._verb.clicked.connect(lambda _checked=False: fixes[0].act())
        self._more.clicked.connect(self._show_more)
        self._lay_out(chips)
        self._verb.setVisible(bool(fixes))
        self._more.setVisible(len(fixes) > 1)
        for part in (self._verb, self._more, *chips):
            part.installEventFilter(self)

    def take_focus(self) -> None:
        """Focus the main button."""
        self._verb.setFocus(Qt.FocusReason.TabFocusReason)

    def ignore(self) -> bool:
        """Accept the warning, if it can be accepted; return whether it can."""
        fix = next((fix for fix in self.fixes if fix.way is Way.IGNORE), None)
        if fix is not None:
            fix.act()
        return fix is not None

    @property
    def has_focus(self) -> bool:
        """Whether one of its widgets has the focus."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Show the focus ring around the entry."""
        if event.type() in {QEvent.Type.FocusIn, QEvent.Type.FocusOut}:
            (self.pointed if event.type() is QEvent.Type.FocusIn else self.left).emit()
            self.update()
        return False

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.pointed.emit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.has_focus:
            radius = theme.current().metrics.radius_panel
            rounded(QPainter(self), QRectF(self.rect()), radius, line="accent", width=2)

    def _show_more(self) -> None:
        menu = Menu(self._more)
        for fix in self.fixes[1:]:
            menu.add(fix.words, fix.act)
        menu.open_below(self._more)

    def _lay_out(self, chips: Sequence[PostChip]) -> None:
        concern = self.concern
        tone = "bad" if concern.kind.fails else "warn"
        head, buttons = Reflow((1, 0), gap=8), line_of(self._verb, self._more, None)
        title = Label(concern.title, "strong", wrap=True)
        title.setContentsMargins(0, 4, 0, 0)
        grow(title, QWidget.setMinimumWidth, _TITLE)
        for place, part in enumerate((title, buttons)):
            head.add(part, 0, place, align=Qt.AlignmentFlag.AlignTop)
        buttons.setVisible(bool(self.fixes))
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addWidget(head)
        for post in concern.posts:
            line = TailLabel("", "card", "text2")
            line.show_parts(*post)
            column.addWidget(line)
        if concern.text and not concern.posts:
            column.addWidget(Label(concern.text, "card", "text2", wrap=True))
        if chips:
            column.addSpacing(6)
            holder = QWidget()
            flow = FlowLayout(holder, gap=6)
            for chip in chips[:_MOST]:
                flow.addWidget(chip)
            if (others := len(chips) - _MOST) > 0:
                flow.addWidget(Label(tr("and {n} more", n=others), "card", "text3"))
            column.addWidget(holder)
        row = QHBoxLayout(self)
        row.setContentsMargins(insets(12, 12, 10, 12))
        row.setSpacing(10)
        sign = _Sign(_ICONS.get(concern.kind, "triangle-alert"), tone)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
