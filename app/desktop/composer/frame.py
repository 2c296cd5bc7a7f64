"""The composer's layout: fixed header and footer, scrolling body, and the causes that prevent scheduling."""

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QScrollBar, QVBoxLayout, QWidget

from app.desktop.composer.strips import Strips
from app.desktop.theme import theme
from app.desktop.theme.theme import WIDEST_SIDE, grow
from app.desktop.widgets import (
    Chip,
    Divider,
    IconButton,
    IconLabel,
    Label,
    LinkButton,
    MessageStrip,
    Panel,
    PracticeTag,
    announce,
    keep_room_for_bar,
    primary,
    quiet,
    scroll_area,
    secondary,
)
from app.desktop.widgets.painting import insets
from app.language import number, tr, trn

_GAP = 8
_QUIET_INSET = 10
"""A quiet button has no frame: its words, not its edge, stand in line with the rest."""


class Promise(QWidget):
    """A line about something that will happen later, with a button that cancels it."""

    def __init__(self) -> None:
        super().__init__()
        self._words = Label("", "card", "text2", wrap=True)
        self.stop = secondary(tr("Cancel"), size="small")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, _GAP)
        row.setSpacing(_GAP)
        row.addWidget(IconLabel("clock", "text3", 14))
        row.addWidget(self._words, 1)
        row.addWidget(self.stop)
        self.hide()

    def words(self) -> str:
        """Return the text, or ""."""
        return self._words.text()

    def show_words(self, words: str) -> None:
        """Show and announce a text; "" hides the line."""
        self._words.setText(words)
        self.stop.setAccessibleDescription(words)
        self.setVisible(bool(words))
        if words:
            announce(self, words)


class Foot(QWidget):
    """Three buttons in a row; in little space, the quiet one is above the others."""

    def __init__(self, keep: QPushButton, publish: QPushButton, schedule: QPushButton) -> None:
        super().__init__()
        self._keep, self._ways = keep, (publish, schedule)
        gutter = theme.current().metrics.gutter
        self._upper, self._lower = QHBoxLayout(), QHBoxLayout()
        self._upper.setContentsMargins(insets(gutter - _QUIET_INSET, 0, gutter, 0))
        self._upper.setSpacing(_GAP)
        self._upper.addWidget(keep)
        self._upper.addStretch(1)
        for button in self._ways:
            self._upper.addWidget(button)
        self._lower.setContentsMargins(gutter, 0, gutter, 0)
        self._lower.setSpacing(_GAP)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 12, 0, 12)
        self._rows.setSpacing(0)
        self.promise = Promise()
        above = QVBoxLayout()
        above.setContentsMargins(gutter, 0, gutter, 0)
        above.addWidget(self.promise)
        self._rows.addLayout(above)
        self._rows.addLayout(self._upper)
        self._rows.addLayout(self._lower)

    def fit(self) -> None:
        """Use as many rows as the labels need."""
        margins = self._upper.contentsMargins()
        room = self.width() - margins.left() - margins.right() - 2 * _GAP
        needed = sum(button.sizeHint().width() for button in (self._keep, *self._ways))
        into, out_of = (self._lower, self._upper) if needed > room else (self._upper, self._lower)
        for button in self._ways:
            if into.indexOf(button) < 0:
                out_of.removeWidget(button)
                into.addWidget(button)
            if into is self._lower:  # each as wide as its words need, and the rest shared
                into.setStretchFactor(button, button.sizeHint().width())
        self._rows.setSpacing(6 if into is self._lower else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()


class _Body(QWidget):
    """The content that scrolls."""

    changed = Signal()
    """It was laid out again, for example because it needs more room."""

    def event(self, event: QEvent) -> bool:
        was_handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.changed.emit()
        return was_handled


_GROUPS = 18
_BELOW = 8
_LOW = 470
"""Height in logical pixels at 100 % below which only the title and the footer stay while the body scrolls."""


class ComposerFrame:
    """Lays out a panel of 440 px; the panel fills it and connects its buttons."""

    def __init__(self, panel: QWidget) -> None:
        self._panel = panel
        panel.setProperty("ground", "surface")
        panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        grow(panel, QWidget.setFixedWidth, theme.current().metrics.composer, WIDEST_SIDE)
        panel.setAccessibleName(tr("New post"))
        self.close = IconButton("x", tr("Close (your text is kept)"), size="small")
        self.more = IconButton("ellipsis", tr("More"), size="small")
        self.keep = quiet(tr("Save draft"))
        self.keep.setToolTip(tr("Save it to Drafts for later"))
        self.publish = secondary(tr("Publish now"))
        self.schedule = primary(tr("Schedule"))
        self.to_fix = Chip("", "triangle-alert", checkable=False, tone="warn")
        self._practice = PracticeTag()
        self._tick, self._saved = IconLabel("check", "text3", 14), Label("", "card", "text3")
        self._title, self._title_row = Label(tr("New post"), "section"), QHBoxLayout()
        self._replaced, self.keep_old = (
            Label("", "card", "text2", wrap=True),
            LinkButton(tr("Save as new post")),
        )
        self._place = Panel()
        self._edge = Divider()
        self._is_replacing = self._is_low = False
        self.is_open = True
        self._problems = 0
        self._at_head: list[QWidget] = []
        self._at_foot: list[QWidget] = []
        self._head, self._tabs, self._body = QVBoxLayout(), QVBoxLayout(), QVBoxLayout()
        self._column = QVBoxLayout()
        row = QHBoxLayout(panel)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(Divider(Qt.Orientation.Vertical))
        row.addLayout(self._column, 1)
        self._foot = Foot(self.keep, self.publish, self.schedule)
        self.promise, self.strips = self._foot.promise, Strips()
        self._lay_out()
        self.set_saved(saved=False)
        self.set_state(0, 0, practice=False)

    def add_to_head(self, widget: QWidget) -> None:
        """Put a widget below the title; `fit` may move it into the body."""
        self._at_head.append(widget)
        self._head.addWidget(widget)

    def add_tabs(self, tabs: QWidget) -> None:
        """Put tabs at the bottom of the header, on its line."""
        self._tabs.addWidget(tabs)

    def add(self, widget: QWidget) -> None:
        """Append a widget to the body."""
        self._body.addWidget(widget)

    def add_below(self, *widgets: QWidget) -> None:
        """Put widgets between body and footer, always visible unless `fit` moves them into the body."""
        self._body.addStretch(1)
        self._at_foot = list(widgets)
        self._fill_below()

    def spare_height(self) -> int:
        """Return how much lower than its room the body is; negative if it scrolls."""
        room = self._scroll.viewport().size()
        return room.height() - self._body.totalHeightForWidth(room.width())

    def fit(self, height: int) -> bool:
        """Leave room for the text in a panel of a height, in logical pixels; return whether parts were moved.

        In a low one, what is below the title and above the footer scrolls with the text.
        """
        self._fit_title()
        self._foot.fit()
        is_low = height < theme.current().grown(_LOW)
        if is_low is self._is_low:
            return False
        moving, focused = [*self._at_head, *self._at_foot], QApplication.focusWidget()
        shown = [widget for widget in moving if not widget.isHidden()]
        self._is_low = is_low
        if is_low:
            for place, widget in enumerate(self._at_head):
                self._body.insertWidget(place, widget)
            for widget in self._at_foot:
                self._body.addWidget(widget)
        else:
            for widget in self._at_head:
                self._head.addWidget(widget)
        self._fill_below()
        for widget in shown:  # a new parent hides them, and takes the focus away
            widget.show()
        if focused is not None and any(widget.isAncestorOf(focused) for widget in moving):
            focused.setFocus()
        return True

    def _fill_below(self) -> None:
        if not self._is_low:
            for widget in self._at_foot:
                self._below.addWidget(widget)
        self._edge.setVisible(not self._is_low)
        gutter, around = theme.current().metrics.gutter, 0 if self._is_low else 12
        self._below.setContentsMargins(gutter, around, gutter, around)

    @property
    def bar(self) -> QScrollBar:
        """The body's scroll bar, enabled if there is something to scroll."""
        return self._scroll.verticalScrollBar()

    @property
    def buttons(self) -> tuple[QWidget, ...]:
        """The last widgets in the tab order: footer, then header."""
        return self.keep, self.publish, self.schedule, self.more, self.close

    def reveal(self, group: QWidget) -> None:
        """Scroll to a widget."""
        self._scroll.ensureWidgetVisible(group)

    def reveal_area(self, group: QWidget, area: QRect) -> None:
        """Scroll to an area of a widget."""
        body = self._scroll.widget()
        if body is not None:
            middle = group.mapTo(body, area.center())
            self._scroll.ensureVisible(middle.x(), middle.y(), 0, area.height())

    def reveal_focus(self) -> None:
        """Scroll to the focused widget."""
        focused = QApplication.focusWidget()
        if focused is not None and self._scroll.isAncestorOf(focused):
            self._scroll.ensureWidgetVisible(focused)

    def set_saved(self, *, saved: bool) -> None:
        """Show whether everything is saved."""
        self._tick.setVisible(saved)
        self._saved.setText(tr("Saved") if saved else "")
        self._tick.setToolTip(self._saved.text())
        self._fit_title()

    def set_open(self, *, is_open: bool) -> None:
        """Let the user change the post, or only read the message and close."""
        self.is_open = is_open
        for part in (*self._at_head, self.body, *self._at_foot, self._foot, self.more):
            part.setEnabled(is_open)

    def set_replaced(self, words: str) -> None:
        """Show which post is replaced; "" for none."""
        self._title.setText(tr("Replace post") if words else tr("New post"))
        self._is_replacing = bool(words)
        self._replaced.setText(words)
        self._place.setVisible(bool(words))
        self._fit_title()

    def set_state(self, problems: int, posts: int, *, practice: bool, uploading: bool = False) -> None:
        """Show the number of causes and the main button's label; it's disabled during an upload."""
        self._problems = problems
        self.to_fix.setAccessibleName(tr("{n} to fix", n=problems))
        self.to_fix.setVisible(problems > 0)
        self._practice.setVisible(practice)
        self.schedule.setText(self._main_words(posts, uploading=uploading))
        self.schedule.updateGeometry()
        self._foot.fit()
        self._fit_title()

    def _fit_title(self) -> None:
        """In little space, show only the icon for "saved", then only the number of causes."""
        self._saved.setVisible(bool(self._saved.text()))
        self._count_causes(in_words=True)
        if self._is_title_too_wide():
            self._saved.hide()
        if self._is_title_too_wide():
            self._count_causes(in_words=False)

    def _is_title_too_wide(self) -> bool:
        margins = self._head.contentsMargins()
        room = self._panel.minimumWidth() - margins.left() - margins.right()
        self._title_row.invalidate()
        return self._title_row.sizeHint().width() > room

    def _count_causes(self, *, in_words: bool) -> None:
        words = tr("{n} to fix", n=self._problems) if in_words else number(self._problems)
        self.to_fix.shows_name = not in_words
        self.to_fix.setText(words)
        self.to_fix.updateGeometry()

    def _main_words(self, posts: int, *, uploading: bool) -> str:
        if uploading and posts:
            return tr("Replace when uploaded") if self._is_replacing else tr("Schedule when uploaded")
        if self._is_replacing:
            return tr("Replace with {n} posts", n=posts) if posts > 1 else tr("Replace post")
        return trn("Schedule {n} post", "Schedule {n} posts", posts) if posts else tr("Schedule")

    def set_promise(self, words: str, asked: QPushButton | None = None) -> None:
        """Show above the buttons what will happen later, replacing a message; "" for nothing.

        The button that asked for it can't be pressed meanwhile.
        """
        if words:
            self.unsay()
        had_focus = (asked or self.promise.stop).hasFocus()
        self.promise.show_words(words)
        for button in (self.keep, self.publish, self.schedule):
            button.setEnabled(button is not asked)
        if had_focus:
            (self.promise.stop if asked else self.schedule).setFocus()

    def say(self, strip: MessageStrip) -> None:
        """Show a message above the footer, replacing the previous one."""
        self.strips.say(strip)

    def said(self) -> str:
        """Return the current message, promise or newest offer, or ""."""
        return self.strips.said() or self.promise.words() or self.strips.offered()

    def unsay(self) -> None:
        """Remove the message."""
        self.strips.unsay()

    def _lay_out(self) -> None:
        gutter = theme.current().metrics.gutter
        title = self._title_row
        title.setSpacing(6)
        title.addWidget(self._title)
        title.addSpacing(4)
        for widget in (self._tick, self._saved, self._practice):
            title.addWidget(widget)
        title.addStretch(1)
        title.addWidget(self.to_fix)
        title.addWidget(self.more)
        title.addWidget(self.close)
        self._head.setContentsMargins(insets(gutter, 14, gutter - 6, 12))
        self._head.setSpacing(10)
        self._head.addLayout(title)
        self._head.addLayout(self._framed_place())
        self._scroll = scroll_area()
        self._body.setContentsMargins(insets(gutter, 14, gutter, _GROUPS))
        keep_room_for_bar(self._scroll, self._body)
        self._body.setSpacing(_GROUPS - 4)
        self._below = QVBoxLayout()
        self._below.setSpacing(_BELOW)
        self.body = holder = _Body()
        holder.setLayout(self._body)
        self._scroll.setWidget(holder)
        holder.setAutoFillBackground(False)
        self._column.setSpacing(0)
        self._column.addLayout(self._head)
        self._tabs.setContentsMargins(insets(gutter - 7, 0, gutter, 0))
        self._column.addLayout(self._tabs)
        self._column.addWidget(Divider())
        self._column.addWidget(self._scroll, 1)
        self._column.addWidget(self._edge)
        self._column.addLayout(self._below)
        self._column.addWidget(self.strips)
        self._column.addWidget(Divider())
        self._column.addWidget(self._foot)

    def _framed_place(self) -> QHBoxLayout:
        framed, place = QHBoxLayout(), QVBoxLayout(self._place)
        framed.setContentsMargins(insets(0, 0, 6, 0))
        framed.addWidget(self._place)
        place.setContentsMargins(12, 8, 12, 8)
        place.setSpacing(4)
        place.addWidget(self._replaced)
        place.addWidget(self.keep_old, 0, Qt.AlignmentFlag.AlignLeft)
        self._place.hide()
        return framed
