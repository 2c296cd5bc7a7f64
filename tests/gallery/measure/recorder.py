"""A paint device that keeps the texts that are painted on it, and where: widgets tell nobody else."""

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QImage,
    QPaintDevice,
    QPaintEngine,
    QPaintEngineState,
    QPainterPath,
    QPixmap,
    QTextItem,
)

_DPI = 96
_UNLIMITED = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Writing:
    """A run of text as it was painted.

    Attributes:
        words: the characters.
        line: from the ascent to the descent of its font, and from where it begins to where the next would.
        ink: what its strokes fill.
        clip: what the painter let through; None for everything.
        place: the card or the picture that it is to stay within; None where the widget is all there is.
        floats: it lies over what else the widget shows.
    """

    words: str
    line: QRectF
    ink: QRectF
    clip: QRectF | None = None
    place: QRectF | None = None
    floats: bool = False


@dataclass(frozen=True, slots=True)
class Drawn:
    """A pixmap as it was drawn: ``key`` is its `QPixmap.cacheKey`."""

    key: int
    place: QRectF
    clip: QRectF | None


class Recorder(QPaintDevice):
    """As large as what is painted on it; ``writings`` are in its coordinates."""

    def __init__(self, size: QSize) -> None:
        super().__init__()
        self._size = size
        self._engine = _Engine()

    @property
    def writings(self) -> list[Writing]:
        """What was written, in that order."""
        return self._engine.writings

    @property
    def drawn(self) -> list[Drawn]:
        """The pixmaps that were drawn, in that order."""
        return self._engine.drawn

    def paintEngine(self) -> QPaintEngine:  # noqa: N802 - Qt's
        return self._engine

    def metric(self, asked: QPaintDevice.PaintDeviceMetric) -> int:
        """Logical pixels are device pixels."""
        kind = QPaintDevice.PaintDeviceMetric
        known = {
            kind.PdmWidth: self._size.width(),
            kind.PdmHeight: self._size.height(),
            kind.PdmWidthMM: round(self._size.width() * 25.4 / _DPI),
            kind.PdmHeightMM: round(self._size.height() * 25.4 / _DPI),
            kind.PdmDpiX: _DPI,
            kind.PdmDpiY: _DPI,
            kind.PdmPhysicalDpiX: _DPI,
            kind.PdmPhysicalDpiY: _DPI,
            kind.PdmDepth: 32,
            kind.PdmNumColors: _UNLIMITED,
            kind.PdmDevicePixelRatio: 1,
            kind.PdmDevicePixelRatioScaled: round(QPaintDevice.devicePixelRatioFScale()),
        }
        return known.get(asked, 0)


class _Engine(QPaintEngine):
    """Takes texts and leaves everything else."""

    def __init__(self) -> None:
        super().__init__(QPaintEngine.PaintEngineFeature.AllFeatures)
        self.writings: list[Writing] = []
        self.drawn: list[Drawn] = []

    def begin(self, _device: QPaintDevice) -> bool:
        return True

    def end(self) -> bool:
        return True

    def type(self) -> QPaintEngine.Type:
        return QPaintEngine.Type.User

    def updateState(self, _state: QPaintEngineState) -> None:  # noqa: N802
        """The painter is asked instead, when there is a text."""

    def drawTextItem(self, point: object, item: QTextItem) -> None:  # noqa: N802
        baseline = point if isinstance(point, QPointF) else QPointF()
        to_device = self.painter().combinedTransform()
        height = item.ascent() + item.descent()
        line = QRectF(baseline.x(), baseline.y() - item.ascent(), item.width(), height)
        ink = QRectF(_ink(item.font().toString(), item.text())).translated(baseline)
        self.writings.append(
            Writing(item.text(), to_device.mapRect(line), to_device.mapRect(ink), self._clip())
        )

    def drawPixmap(self, place: object, picture: QPixmap | QImage, _part: object) -> None:  # noqa: N802
        if isinstance(place, QRectF):
            on_device = self.painter().combinedTransform().mapRect(place)
            self.drawn.append(Drawn(picture.cacheKey(), on_device, self._clip()))

    def _clip(self) -> QRectF | None:
        painter = self.painter()
        if not painter.hasClipping():
            return None
        return painter.combinedTransform().mapRect(painter.clipBoundingRect())

    def drawImage(self, *_drawn: object) -> None: ...  # noqa: N802

    def drawTiledPixmap(self, *_drawn: object) -> None: ...  # noqa: N802

    def drawPath(self, _path: object) -> None: ...  # noqa: N802

    def drawPolygon(self, *_drawn: object) -> None: ...  # noqa: N802


@lru_cache(maxsize=20_000)
def _ink(described: str, words: str) -> QRectF:
    """What the strokes of words fill, in a font by its description.

    A font's metrics would have it in whole pixels, up to two too many.
    """
    font = QFont()
    font.fromString(described)
    path = QPainterPath()
    path.addText(0, 0, font, words)
    return path.boundingRect() if not path.isEmpty() else QFontMetricsF(font).tightBoundingRect(words)
