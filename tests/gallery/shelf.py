"""The studio's files: pictures of coats, cloth and people, drawn, and short videos of them."""

import io
import tempfile
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any

import av
import httpx
from PIL import Image
from PySide6.QtCore import QBuffer, QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QLinearGradient, QPainter, QPainterPath, QPen

from tests.gallery.samples import full_studio
from tests.gallery.service import StudioService

_KIB = 1024
NAMES = (
    "winter-lookbook-04.jpg",
    "studio-sale-hour-by-hour.mp4",
    "wool-3-weights.jpg",
    "fitting-notes-2.png",
    "packing-orders.mp4",
    "advent-01-linen.jpg",
    "table-linen.jpg",
    "q-and-a-cut-3.mp4",
    "lookbook-11.jpg",
    "long-coat-four-ways-of-wearing-it.jpg",
    "swatch-day.jpg",
    "steam-vs-press.mp4",
    "winter-whiteboard.png",
    "thread-counts.png",
    "dye-bath-indigo.jpg",
    "60-second-hem.mp4",
    "herringbone.jpg",
    "open-studio-sat.jpg",
    "dried-stems-in-a-brass-vase.jpg",
    "spool-wall.jpg",
    "sintra-morning.jpg",
    "ticking-stripe.jpg",
    "the-making-of.mp4",
)
_SHADES = (
    ("#EADFD0", "#8A4A34"),
    ("#7E9E9A", "#D8694A"),
    ("#F2D9A0", "#7A4A24"),
    ("#8E93AE", "#3E3A66"),
    ("#B7C39A", "#4D5C34"),
    ("#D59A8C", "#6C2E3A"),
    ("#C9DCE4", "#3B5A86"),
    ("#E7E2DA", "#5A4A80"),
)


@dataclass
class ShelfService(StudioService):
    """The studio with files: it lists them, and says how much room there is."""

    lengths: dict[str, int] = field(default_factory=dict)

    def answer(self, request: httpx.Request) -> httpx.Response:
        response = super().answer(request)
        if request.url.path != "/companion/v1/media":
            return response
        files: list[dict[str, Any]] = response.json()["data"]
        for number, file in enumerate(files):
            file |= {"width": 1_600, "height": 1_200, "duration_ms": self.lengths.get(file["storage_path"])}
            file["created_at"] = f"2026-11-{20 - number % 18:02}T16:42:00Z"
        return httpx.Response(200, json={"data": files, "next_cursor": None})


def full_shelf() -> ShelfService:
    """The studio's two months of posts, whose files are there."""
    return with_files(full_studio())


def with_files(studio: StudioService) -> ShelfService:
    """A studio whose posts' files are there."""
    service = ShelfService(**vars(studio))
    service.offers, service.tells_usage, service.room = ("media",), True, 40 * 1024 * _KIB
    for number, name in enumerate(NAMES):
        path = f"studio/{name.rpartition('.')[0]}-{number:08x}.{name.rpartition('.')[2]}"
        content = motion(number) if name.endswith(".mp4") else still(number)
        service.files[path] = content + b"\0" * ((120 + 97 * number % 700) * _KIB)
        if name.endswith(".mp4"):
            service.lengths[path] = (42 + 173 * number % 1_000) * 1_000
    _use(service)
    return service


def _use(service: StudioService) -> None:
    """Posts take the files in turn, each kind its own; some files stay without."""
    for kind, ending in (("image", (".jpg", ".png")), ("video", (".mp4",))):
        paths = cycle([path for path in service.files if path.endswith(ending)][:14])
        for post in service.posts.values():
            if post["post_type"] == kind:
                post["media_storage_path"] = next(paths)


def still(number: int, size: tuple[int, int] = (640, 480)) -> bytes:
    """A picture as a JPEG."""
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"JPEG")).write(drawn(number, size))
    return bytes(buffer.data().data())


def motion(number: int) -> bytes:
    """A video of a moment."""
    picture = Image.open(io.BytesIO(still(number)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "moment.mp4")
        with av.open(str(path), "w") as container:
            stream = container.add_stream("mpeg4", rate=25)
            stream.width, stream.height, stream.pix_fmt = picture.width, picture.height, "yuv420p"
            frame = av.VideoFrame.from_image(picture)  # type: ignore[no-untyped-call]
            container.mux(stream.encode(frame))
            container.mux(stream.encode())
        return path.read_bytes()


def moving(folder: Path, name: str, seconds: int = 8) -> Path:
    """A video that goes on for a while, in which something grows."""
    path = folder / name
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=5)
        stream.width, stream.height, stream.pix_fmt = 960, 720, "yuv420p"
        picture = Image.open(io.BytesIO(still(3, (960, 720)))).convert("RGB")
        for number in range(seconds * 5):
            x, y = 8 * number, 6 * number  # what grows keeps its shape
            piece = picture.crop((x, y, 960 - x, 720 - y)).resize((960, 720))
            container.mux(stream.encode(av.VideoFrame.from_image(piece)))  # type: ignore[no-untyped-call]
        container.mux(stream.encode())
    return path


def drawn(number: int, size: tuple[int, int]) -> QImage:
    """A coat on a hanger, folded cloth, stripes, or buttons."""
    light, dark = (QColor(shade) for shade in _SHADES[number % len(_SHADES)])
    picture = QImage(*size, QImage.Format.Format_RGB32)
    ground = QLinearGradient(QPointF(0, 0), QPointF(*size))
    ground.setColorAt(0, light)
    ground.setColorAt(1, light.darker(118))
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(picture.rect(), ground)
    painter.scale(size[0] / 640, size[1] / 480)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(dark)
    (_coat, _cloth, _stripes, _buttons)[number % 4](painter, dark)
    painter.end()
    return picture


def _coat(painter: QPainter, dark: QColor) -> None:
    coat = QPainterPath(QPointF(320, 110))
    for x, y in ((400, 150), (440, 330), (405, 345), (390, 250), (400, 430), (240, 430), (250, 250)):
        coat.lineTo(x, y)
    for x, y in ((235, 345), (200, 330), (240, 150)):
        coat.lineTo(x, y)
    painter.drawPath(coat)
    painter.setBrush(dark.lighter(160))
    painter.drawPolygon([QPointF(300, 118), QPointF(340, 118), QPointF(320, 220)])


def _cloth(painter: QPainter, dark: QColor) -> None:
    for layer in range(6):
        painter.setBrush(dark.lighter(100 + 18 * layer))
        painter.drawRoundedRect(QRectF(180 + 8 * (layer % 2), 370 - 46 * layer, 280, 40), 18, 18)


def _stripes(painter: QPainter, dark: QColor) -> None:
    for stripe in range(-4, 12):
        painter.setPen(QPen(dark.lighter(100 + 12 * (stripe % 4)), 22))
        painter.drawLine(stripe * 70, 500, stripe * 70 + 240, -20)


def _buttons(painter: QPainter, dark: QColor) -> None:
    for place in range(12):
        painter.setBrush(dark.lighter(100 + 14 * (place % 5)))
        painter.drawEllipse(QPointF(100 + 145 * (place % 4), 100 + 140 * (place // 4)), 48, 48)
