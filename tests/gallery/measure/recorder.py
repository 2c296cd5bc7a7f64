"""A paint device that keeps the texts that are painted on it, and where: widgets tell nobody else."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPaintDevice, QPaintEngine, QPaintEngineState, QTextItem

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
    """

    words: str
    line: QRectF
    ink: QRectF
    clip: QRectF | None = None


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
        painter = self.painter()
        to_device = painter.combinedTransform()
        height = item.ascent() + item.descent()
        line = QRectF(baseline.x(), baseline.y() - item.ascent(), item.width(), height)
        ink = QFontMetricsF(item.font()).tightBoundingRect(item.text()).translated(baseline)
        clip = to_device.mapRect(painter.clipBoundingRect()) if painter.hasClipping() else None
        self.writings.append(Writing(item.text(), to_device.mapRect(line), to_device.mapRect(ink), clip))

    def drawPixmap(self, _place: object, _picture: object, _part: object) -> None: ...  # noqa: N802

    def drawImage(self, *_drawn: object) -> None: ...  # noqa: N802

    def drawTiledPixmap(self, *_drawn: object) -> None: ...  # noqa: N802

    def drawPath(self, _path: object) -> None: ...  # noqa: N802

    def drawPolygon(self, *_drawn: object) -> None: ...  # noqa: N802
