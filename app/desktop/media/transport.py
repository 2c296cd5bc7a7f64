"""What a video is played with: a button, a line to move along, and the time."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QSlider, QStyle, QWidget

from app.desktop.media.player import Player
from app.desktop.media.wording import length
from app.desktop.theme import theme
from app.desktop.widgets import IconButton, Label, announce
from app.desktop.widgets.painting import rounded, shows_focus
from app.language import tr

_STEP_MS, _PAGE_MS = 1_000, 10_000
_EVERY_MS = 250
"""While it plays the line and the time move in such steps: a screen reader hears each of them."""
_SILENT = tr("Plays without sound here")
_NO_SOUND = tr("This video has no sound")
_KNOB, _LINE = 14, 4


class Transport(QWidget):
    """The controls of a player."""

    def __init__(self, player: Player) -> None:
        super().__init__()
        self._player = player
        self.play = IconButton("play", tr("Play (Space)"))
        self.position = PositionSlider()
        self.time, self.note = Label("", "card", "text2"), Label("", "card", "text3", wrap=True)
        self._lay_out()
        self.play.clicked.connect(player.toggle)
        self.position.valueChanged.connect(player.seek)
        player.opened.connect(self._show_length)
        player.moved.connect(self._show_position)
        player.turned.connect(self._show_playing)
        player.failed.connect(self._show_failure)

    def wait(self) -> None:
        """Show that a video is being opened."""
        self._show_parts(there=False)
        self._say(tr("Opening the video…"))

    def step(self, milliseconds: int) -> None:
        """Go so much further, or back."""
        self._player.seek(self._player.position_ms + milliseconds)

    def _show_length(self) -> None:
        self._show_parts(there=True)
        self.position.set_range(self._player.length_ms)
        self._say(_SILENT if self._player.has_sound else _NO_SOUND)
        self._write_time(0)

    def _show_position(self, ms: int) -> None:
        if self._player.length_ms > self.position.maximum():
            self.position.set_range(self._player.length_ms)
        if not self._player.is_playing or abs(ms - self.position.value()) >= _EVERY_MS:
            self.position.show_value(ms)
            self._write_time(ms)

    def _write_time(self, ms: int) -> None:
        self.time.setText(f"{length(ms)} / {length(self._player.length_ms)}")
        self.position.setAccessibleDescription(
            tr("{position} of {length}", position=length(ms), length=length(self._player.length_ms))
        )

    def _show_playing(self, playing: bool) -> None:
        self.play.set_icon("pause" if playing else "play")
        self.play.set_name(tr("Pause (Space)") if playing else tr("Play (Space)"))
        if self.isVisible():
            announce(
                self,
                tr("Playing") if playing else tr("Paused at {time}", time=length(self._player.position_ms)),
            )

    def _show_failure(self, words: str) -> None:
        self._show_parts(there=False)
        self._say(words, tone="warn")
        announce(self, words)

    def _show_parts(self, *, there: bool) -> None:
        for part in (self.play, self.position, self.time):
            part.setVisible(there)

    def _say(self, words: str, tone: str = "text3") -> None:
        self.note.setText(words)
        self.note.set_tone(tone)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(12)
        row.addWidget(self.play)
        row.addWidget(self.position, 1)
        row.addWidget(self.time)
        row.addWidget(self.note)


class PositionSlider(QSlider):
    """Milliseconds on a line. The arrow keys go a second, Page Up and Down ten; a press goes where it is."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setSingleStep(_STEP_MS)
        self.setPageStep(_PAGE_MS)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Position"))
        self.setToolTip(tr("Arrow keys: 1 second. Page Up and Page Down: 10 seconds"))

    def sizeHint(self) -> QSize:
        return QSize(200, _KNOB + 10)

    def set_range(self, most: int) -> None:
        """Say how long it is, without a notice."""
        blocked = self.blockSignals(True)
        self.setRange(0, most)
        self.blockSignals(blocked)

    def show_value(self, value: int) -> None:
        """Move the knob, without a notice."""
        if not self.isSliderDown():
            blocked = self.blockSignals(True)
            self.setValue(value)
            self.blockSignals(blocked)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to where it is pressed."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.setSliderDown(True)
        self.setValue(self._value_at(event.position().x()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self.setValue(self._value_at(event.position().x()))

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        middle, span = self.height() / 2, self.width() - _KNOB
        place = QStyle.sliderPositionFromValue(
            0, max(1, self.maximum()), self.value(), span, self._is_mirrored()
        )
        line = QRectF(_KNOB / 2, middle - _LINE / 2, span, _LINE)
        rounded(painter, line, _LINE / 2, fill="line")
        done = QRectF(line)
        if self._is_mirrored():
            done.setLeft(line.left() + place)
        else:
            done.setWidth(place)
        if done.width() > 0:
            rounded(painter, done, _LINE / 2, fill="accent")
        knob = QRectF(place, middle - _KNOB / 2, _KNOB, _KNOB)
        ring = shows_focus(self)
        rounded(painter, knob.adjusted(1, 1, -1, -1), _KNOB / 2 - 1, fill="accent")
        if ring:
            look = theme.current()
            rounded(painter, knob, _KNOB / 2, line="text", width=look.metrics.ring)

    def _value_at(self, x: float) -> int:
        span = self.width() - _KNOB
        return QStyle.sliderValueFromPosition(
            0, self.maximum(), round(x - _KNOB / 2), span, self._is_mirrored()
        )

    def _is_mirrored(self) -> bool:
        return self.isRightToLeft()
