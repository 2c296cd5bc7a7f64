"""The notice over the calendar if it is empty, a sample week, or cut off from its service."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QWidget

from app.desktop.calendar.planner import Planner, Samples
from app.desktop.widgets import Button, Label, Panel, Skeleton, announce
from app.language import tr

_INSETS = (16, 10, 10, 10)
_SPACING = 12
_AROUND = 8
_ABOVE_EDGE = 16
_BELOW_DAYS = 8
"""Distance from the days that end above it, in px."""

_DOWN = QBoxLayout.Direction.TopToBottom


class Notice(Panel):
    """A sentence with an action or two at the bottom of its parent.

    It floats over days without posts. Days with posts end above it: see `room_changed`.
    """

    room_changed = Signal(int)
    """The height to keep free below the days, in px; 0 if it floats over them or is hidden."""

    wantedAll = Signal()  # noqa: N815  a signal of the notice's interface
    wantedPost = Signal()  # noqa: N815
    wantedRefresh = Signal()  # noqa: N815
    wantedAccount = Signal()  # noqa: N815
    wantedKey = Signal()  # noqa: N815
    wantedSamples = Signal(bool)  # noqa: N815
    """Whether to show the sample week."""

    def __init__(self, parent: QWidget, samples: Samples | None = None) -> None:
        """``samples``: the sample week, which can be shown and removed; None if it isn't available."""
        super().__init__(parent=parent)
        self._samples = samples
        self._room, self._is_floating = 0, True
        self.unused_height: Callable[[], int] = lambda: 0
        """Returns how much lower than the parent its content is."""
        self._wanted: SignalInstance = self.wantedAll
        self._label = Label("", "text", "text2")
        self._button, self._samples_button = Button("", "secondary"), Button("", "quiet")
        self._skeleton = Skeleton(2)
        self._skeleton.setFixedWidth(240)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(*_INSETS)
        self._row.setSpacing(_SPACING)
        for part in (self._skeleton, self._label, self._button, self._samples_button):
            self._row.addWidget(part)
        self._ground = parent
        self._button.clicked.connect(self._tell)
        self._samples_button.clicked.connect(self._ask_for_samples)
        parent.installEventFilter(self)
        self.hide()

    def explain(self, workspace: Planner, *, is_empty: bool, is_composing: bool = False) -> None:
        """Explain why nothing is published, or why the calendar is empty, and what to do.

        ``is_composing``: a post is being written, so there's no need to offer it.
        """
        sync = workspace.sync
        self._is_floating = is_empty
        shows_samples = self._samples is not None and self._samples.is_shown
        if sync.key_refused and sync.problem:
            self._offer(sync.problem, tr("Enter new key"), self.wantedKey)
        elif shows_samples and not is_empty:
            text = tr("A sample week. It's never published.")
            self._offer(text, tr("Connect an account"), self.wantedAccount, tr("Remove the samples"))
        elif not is_empty:
            self._withdraw()
        elif len(workspace.posts):
            self._offer(tr("No posts match the filter."), tr("Show all"), self.wantedAll)
        elif sync.syncing and sync.last_synced is None:
            self._show_parts(is_loading=True)  # placeholder bars, after a delay
        elif sync.last_synced is None and sync.trouble:
            self._offer(sync.trouble, tr("Try again"), self.wantedRefresh)
        elif workspace.accounts and is_composing:
            self._withdraw()
        elif workspace.accounts:
            self._offer(tr("Nothing scheduled yet."), tr("New post"), self.wantedPost)
        else:
            text = tr("No accounts yet.")
            samples = tr("Show a sample week") if self._samples is not None else ""
            self._offer(text, tr("Connect an account"), self.wantedAccount, samples)

    def _withdraw(self) -> None:
        self.hide()
        self._keep_room(0)

    def emphasize(self, text: str) -> None:
        """Say something else, in an accented frame, until there is something to explain again."""
        self._label.setText(text)
        self.set_edge("accent")
        self.place()
        announce(self, text)

    def text(self) -> str:
        """Return what it says."""
        return self._label.text()

    def _tell(self) -> None:
        self._wanted.emit()

    def _ask_for_samples(self) -> None:
        self.wantedSamples.emit(self._samples is not None and not self._samples.is_shown)

    def _offer(self, text: str, action: str, wanted: SignalInstance, samples: str = "") -> None:
        self._wanted = wanted
        self.set_edge("plain")
        self._label.setText(text)
        self._button.setText(action)
        self._samples_button.setText(samples)
        self._show_parts(is_loading=False)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the panel, except while loading, because it would show that too early."""
        if not self._skeleton.isVisible():
            super().paintEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay at the bottom of its parent."""
        if event.type() is QEvent.Type.Resize:
            self.place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        """Adapt the size to the text, also when it becomes larger."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.place()
        return super().event(event)

    def _show_parts(self, *, is_loading: bool) -> None:
        self._skeleton.setVisible(is_loading)
        self._label.setVisible(not is_loading)
        self._button.setVisible(not is_loading)
        self._samples_button.setVisible(not is_loading and bool(self._samples_button.text()))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, is_loading)
        self.show()
        self.raise_()
        self.place()

    def _above_edge(self) -> int:
        """Return its distance from the lower edge: in the middle of what the days leave, if they do."""
        unused = self.unused_height()
        return (unused - self.height()) // 2 if unused > self.height() + 2 * _ABOVE_EDGE else _ABOVE_EDGE

    def place(self) -> None:
        """Move to its place, with the button below the text if it doesn't fit next to it."""
        room = self._ground.width() - 2 * _AROUND
        words, left, right = self._label.fontMetrics(), _INSETS[0], _INSETS[2]
        beside = words.horizontalAdvance(self._label.text())
        for button in (self._button, self._samples_button):
            beside += _SPACING + button.sizeHint().width() if button.isVisibleTo(self) else 0
        is_narrow = self._label.isVisibleTo(self) and left + beside + right >= room
        if is_narrow != self._label.wordWrap():
            self._label.setWordWrap(is_narrow)
            self._row.setDirection(_DOWN if is_narrow else QBoxLayout.Direction.LeftToRight)
        if is_narrow:
            self.resize(room, self._row.totalHeightForWidth(room))
        else:
            self.adjustSize()
        free = self._ground.size() - self.size()
        above = self._above_edge() if self._is_floating else 0
        self.move(free.width() // 2, max(0, free.height() - above))
        self._keep_room(0 if self._is_floating or self.isHidden() else self.height() + _BELOW_DAYS)

    def _keep_room(self, height: int) -> None:
        if height != self._room:
            self._room = height
            self.room_changed.emit(height)
