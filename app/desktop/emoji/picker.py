"""A panel for selecting emoji, which inserts them at an editor's cursor."""

import asyncio
from collections.abc import Sequence
from functools import cache, partial

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedLayout, QTextEdit, QWidget

from app import resources
from app.desktop.aio import OnProblem, TaskScope
from app.desktop.emoji.catalogue import GROUPS, SHOWN_TONES, SPOKEN_TONES, Catalogue, Emoji
from app.desktop.emoji.grid import EmojiGrid
from app.desktop.theme import theme
from app.desktop.widgets import Divider, ElidedLabel, IconButton, Label, LineEdit, Menu, Popover
from app.desktop.widgets.button import EnterPresses
from app.desktop.widgets.painting import draw_icon, rounded, shows_focus
from app.desktop.widgets.screen_reader import TabInterface, spoken_by
from app.language import tr
from app.workspace.editing.snippets import EmojiHabits
from app.workspace.messages import Problem

_EDGE, _EMOJI, _ICON = 32, 18, 16
_HAND = "✋"
_RECENT = tr("Recently used")
_WALKS = frozenset(
    {
        Qt.Key.Key_Left,
        Qt.Key.Key_Right,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
    }
)
_ENTERS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class FaceButton(EnterPresses):
    """``text`` is the emoji; if set, ``icon`` is shown instead. The name is tooltip and accessible name."""

    shows_name = True

    def __init__(self, text: str, name: str, *, icon: str = "") -> None:
        super().__init__()
        self._icon = icon
        self.setText(text)
        self.set_name(name)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.follow(self.updateGeometry)

    def set_name(self, name: str) -> None:
        """Change the tooltip and the accessible name."""
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
            edge = (area.width() - look.grown(_ICON)) / 2
            color = "text" if self.isChecked() else "text2"
            draw_icon(painter, area.adjusted(edge, edge, -edge, -edge), self._icon, color)
            return
        font = look.font("emoji")
        font.setPixelSize(round(_EMOJI * look.scale))
        painter.setFont(font)
        painter.setPen(look.color("text"))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, self.text())


@spoken_by(TabInterface)
class GroupTab(FaceButton):
    """Shows a group of emoji."""

    def __init__(self, text: str, name: str, *, icon: str = "") -> None:
        super().__init__(text, name, icon=icon)
        self.setCheckable(True)


class EmojiPopover(Popover):
    """Arrow keys move while typing; Enter selects, and with Shift the panel stays open."""

    chosen = Signal(str, bool)
    """A sequence, and whether more will be selected."""
    tone_liked = Signal(int)

    def __init__(self, parent: QWidget, catalogue: Catalogue, recent: Sequence[str], tone: int) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Emoji"))
        self._catalogue, self._tone = catalogue, tone
        self._recent = catalogue.named(recent)
        self.line, self.grid = LineEdit(icon="search"), EmojiGrid()
        self.nothing = Label(tr("No emoji found."), "text", "text2")
        self.name = ElidedLabel("", "card", "text2")
        self.tone = FaceButton(_HAND, "")
        self.tabs = self._make_tabs()
        self._group = next(iter(self.tabs))
        self._pages = QStackedLayout()
        self._lay_out()
        self._connect()
        self.set_tone(tone)

    def set_tone(self, tone: int) -> None:
        """Show people and hands in a skin tone; 0 for none."""
        self._tone = tone
        (hand,) = self._catalogue.named([_HAND])
        self.tone.setText(hand.in_tone(tone).text)
        self.tone.set_name(tr("Skin tone: {tone}", tone=SPOKEN_TONES[tone]))
        self._show()

    def choose_group(self, name: str) -> None:
        """Show a group instead of search results."""
        self._group = name
        self.line.clear()
        self._show()

    def tones(self) -> Menu:
        """Return the menu of skin tones."""
        menu = Menu(self.tone)
        (hand,) = self._catalogue.named([_HAND])
        for tone, name in enumerate(SHOWN_TONES):
            entry = menu.add(f"{hand.in_tone(tone).text}  {name}", partial(self._like, tone))
            entry.setCheckable(True)
            entry.setChecked(tone == self._tone)
        return menu

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Handle navigation keys in the search field, and return the focus from the groups to it."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
            key = Qt.Key(event.key())
            taken = self._take(key, event) if watched is self.line else self._take_at_tab(key)
            return taken or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _take(self, key: Qt.Key, event: QKeyEvent) -> bool:
        held = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key in _WALKS and not held:
            self.grid.walk(key)
            return True
        if key in _ENTERS:
            self.grid.choose(stay=bool(held & Qt.KeyboardModifier.ShiftModifier))
            return True
        return False

    def _take_at_tab(self, key: Qt.Key) -> bool:
        if key in _ENTERS or key is Qt.Key.Key_Down:
            self.line.setFocus()
            return True
        if key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
            step = 1 if (key is Qt.Key.Key_Right) is not is_mirrored else -1
            names = list(self.tabs)
            self.choose_group(names[(names.index(self._group) + step) % len(names)])
            self.tabs[self._group].setFocus(Qt.FocusReason.TabFocusReason)
            return True
        return False

    def _like(self, tone: int) -> None:
        self.set_tone(tone)
        self.tone_liked.emit(tone)

    def _show(self) -> None:
        """Show the search results, or the selected group."""
        typed = self.line.text().strip()
        for name, tab in self.tabs.items():
            tab.setChecked(name == self._group and not typed)
        found = self._catalogue.find(typed) if typed else self._of_group()
        self.grid.show_emoji([one.in_tone(self._tone) for one in found])
        self._pages.setCurrentWidget(self.grid if found else self.nothing)

    def _of_group(self) -> Sequence[Emoji]:
        if self._group == _RECENT:
            return self._recent
        return next(group.emoji for group in self._catalogue.groups if group.name == self._group)

    def _choose_clicked(self, name: str) -> None:
        """Select a group, and focus the search field, where the arrow keys browse it."""
        self.choose_group(name)
        self.line.setFocus()

    def _say(self, one: Emoji | None) -> None:
        self.name.setText(one.name if one else "")

    def _choose(self, one: Emoji, stay: bool) -> None:
        self.chosen.emit(one.text, stay)

    def _show_tones(self) -> None:
        self.tones().open_below(self.tone)

    def _make_tabs(self) -> dict[str, GroupTab]:
        tabs = {_RECENT: GroupTab("", _RECENT, icon="clock")} if self._recent else {}
        for group in self._catalogue.groups:
            tabs[group.name] = GroupTab(group.emoji[0].text, GROUPS.get(group.name, group.name))
        return tabs

    def _connect(self) -> None:
        for name, tab in self.tabs.items():
            tab.installEventFilter(self)
            tab.clicked.connect(partial(self._choose_clicked, name))
        self.line.installEventFilter(self)
        self.line.textEdited.connect(self._show)
        self.grid.walked.connect(self._say)
        self.grid.chosen.connect(self._choose)
        self.tone.clicked.connect(self._show_tones)

    def _lay_out(self) -> None:
        self.line.setPlaceholderText(tr("Search by name"))
        self.line.setAccessibleName(tr("Search emoji by name"))
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignCenter)
        tabs, foot = QHBoxLayout(), QHBoxLayout()
        tabs.setSpacing(2)
        for tab in self.tabs.values():
            tabs.addWidget(tab)
        tabs.addStretch(1)
        foot.addWidget(self.name, 1)
        foot.addWidget(self.tone)
        self.body.addWidget(self.line)
        self.body.addLayout(tabs)
        self.body.addLayout(self._pages)  # pages of a layout without a parent are windows
        self._pages.addWidget(self.grid)
        self._pages.addWidget(self.nothing)
        self.body.addWidget(Divider(inner=True))
        self.body.addLayout(foot)


class EmojiPicker(QObject):
    """The panel opened by a button next to an editor."""

    def __init__(self, button: IconButton, editor: QTextEdit, habits: EmojiHabits, report: OnProblem) -> None:
        super().__init__(button)
        self.popover: EmojiPopover | None = None
        self._opening: asyncio.Task[None] | None = None
        self._button, self._editor, self._habits = button, editor, habits
        self._scope = TaskScope(self, report)
        button.clicked.connect(self.open)

    def open(self) -> None:
        """Show the panel below the button, as soon as the catalogue is loaded."""
        if self.popover is None and (self._opening is None or self._opening.done()):
            self._opening = self._scope.start(self._open())

    async def _open(self) -> None:
        await self._habits.load()
        catalogue = await asyncio.to_thread(_catalogue)
        self.popover = popover = EmojiPopover(self._button, catalogue, self._habits.recent, self._habits.tone)
        popover.chosen.connect(self._put_in)
        popover.tone_liked.connect(lambda tone: self._scope.start(self._habits.like(tone)))
        popover.closed.connect(self._forget)
        popover.open_below(self._button)
        popover.line.setFocus()

    def _put_in(self, text: str, stay: bool) -> None:
        self._editor.insertPlainText(text)
        self._scope.start(self._habits.use(text))
        if not stay and self.popover is not None:
            self.popover.close()
            self._editor.setFocus()

    def _forget(self) -> None:
        self.popover = None


@cache
def _catalogue() -> Catalogue:
    """Read the catalogue, once. Blocking; raises Problem if the installation is incomplete."""
    try:
        return Catalogue.read(resources.path("emoji/en.json"))
    except (OSError, ValueError, KeyError) as error:
        text = tr("The emoji names are missing or damaged. Reinstall Kalends.")
        raise Problem(text, details=repr(error)) from error
