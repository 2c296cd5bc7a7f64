"""The problems that keep a scheduled post from being published, each with its fix; or that there are none."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.desktop.theme import theme
from app.desktop.warnings.fixes import Fix
from app.desktop.warnings.wording import Concern
from app.desktop.widgets import Button, FlowLayout, IconLabel, Label, TailLabel, announce, clear
from app.desktop.widgets.button import Kind
from app.desktop.widgets.painting import rounded
from app.language import tr

_READY = tr("Ready to publish")


class _Obstacle(QFrame):
    """A problem with up to two fixes; with ``is_main``, the first one is the panel's main button."""

    def __init__(self, concern: Concern, fixes: Sequence[Fix], *, is_main: bool) -> None:
        super().__init__()
        self._fill = "bad_soft" if concern.kind.fails else "warn_soft"
        icon = IconLabel("triangle-alert", "bad" if concern.kind.fails else "warn")
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(Label(concern.title, "strong", wrap=True))
        for post in concern.posts if len(concern.posts) > 1 else ():  # a single one is the panel's
            line = TailLabel("", "card", "text2")
            line.show_parts(*post)
            words.addWidget(line)
        if concern.text and not concern.posts:
            words.addWidget(Label(concern.text, "card", "text2", wrap=True))
        if fixes:
            ways = QWidget()
            flow = FlowLayout(ways, gap=8)
            for place, fix in enumerate(fixes[:2]):
                kind: Kind = "quiet" if place else "primary" if is_main else "secondary"
                button = Button(fix.words, kind, size="small")
                button.setAccessibleName(f"{fix.words}: {concern.title}")
                button.clicked.connect(lambda _checked, act=fix.act: act())
                flow.addWidget(button)
            words.addSpacing(2)
            words.addWidget(ways)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 12, 10)
        row.setSpacing(10)
        row.addWidget(icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)

    def paintEvent(self, _event: QPaintEvent) -> None:
        rounded(QPainter(self), QRectF(self.rect()), theme.current().metrics.radius, fill=self._fill)


class Obstacles(QWidget):
    """Hidden if there are no problems; ``ready`` then says so, below the preview."""

    def __init__(self, fixes_of: Callable[[Concern], Sequence[Fix]]) -> None:
        super().__init__()
        self._fixes_of = fixes_of
        self._shown: tuple[Concern, ...] | None = None
        self.has_main = False
        """Whether a fix is the panel's main button: without it, the post fails."""
        self.ready = QWidget()
        line = QHBoxLayout(self.ready)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(8)
        line.addWidget(IconLabel("circle-check", "ok"))
        line.addWidget(Label(_READY, "text", "ok", weight=QFont.Weight.Medium), 1)
        self._list = QVBoxLayout()
        self._list.setSpacing(8)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.ready.hide()
        column.addLayout(self._list)
        self.hide()

    def text(self) -> str:
        """Return all problems; "" for none."""
        parts = [(one.title, one.text) for one in self._shown or ()]
        return " ".join(part for pair in parts for part in pair if part)

    def show_concerns(self, concerns: Sequence[Concern], *, is_ready: bool) -> None:
        """Show the problems; ``is_ready`` if nothing else can be wrong."""
        before, self._shown = self._shown, tuple(concerns)
        if before != self._shown:
            clear(self._list)
            self.has_main = False
            for concern in concerns:
                fixes = self._fixes_of(concern)
                is_main = concern.kind.fails and bool(fixes) and not self.has_main
                self.has_main |= is_main
                self._list.addWidget(_Obstacle(concern, fixes, is_main=is_main))
            if before and not concerns and is_ready:
                announce(self, _READY)
        self.ready.setVisible(is_ready and not concerns)
        self.setVisible(bool(concerns))
